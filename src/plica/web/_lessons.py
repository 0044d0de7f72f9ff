"""Which state of the explorer shows a claim: the links behind "Show it"."""

from __future__ import annotations

LESSONS: dict[str, str] = {
    # one layer: arrangements of lines
    "zaslavsky-1975": "widths=8&color=pattern&boundary=0&points=0&bias=1&window=-9,9,-9,9",
    "zaslavsky-bounded": "widths=8&color=pattern&boundary=0&points=0&bias=1&window=-9,9,-9,9",
    "zaslavsky-central": "widths=8&color=pattern&boundary=0&points=0&bias=0",
    "characteristic-polynomial": "widths=6&color=pattern&boundary=0&points=0&bias=0",
    "hyperplane-sweep": "widths=5&color=pattern&boundary=0&points=0&bias=1&window=-9,9,-9,9",
    "general-position": "widths=6&color=pattern&boundary=0&points=0&bias=1&window=-9,9,-9,9",
    "slide-general-position": "widths=6&color=pattern&boundary=0&points=0&bias=0",
    "binomial-sum": "widths=12&color=pattern&boundary=0&points=0&bias=1&window=-9,9,-9,9",
    "slide-binomial-sum": "widths=4&color=pattern&boundary=0&points=0&bias=1&window=-9,9,-9,9",
    # depth
    "bent-hyperplanes": "widths=6-6-6&color=output&folds=2&boundary=0&points=0",
    "cells-and-regions": "widths=8-3-3&color=pattern&boundary=0&points=0",
    "cells-are-regions": "widths=8-3-3&color=pattern&boundary=0&points=0",
    "montufar-2014": "init=folding&widths=8-8&color=pattern&boundary=0&points=0",
    "pascanu-2014": "init=folding&widths=4-4-6&color=pattern&boundary=0&points=0",
    "arora-2018-zonotope": "init=folding&widths=6-6&color=pattern&boundary=0&points=0",
    "serra-2018-lower": "init=folding&widths=6-6-6&color=pattern&boundary=0&points=0",
    "slide-at-least": "widths=8-8&init=torch-default&color=pattern&boundary=0&points=0",
    "slide-product-bound": "widths=4-4&color=pattern&boundary=0&points=0",
    "raghu-2017-upper": "widths=16-16&color=pattern&boundary=0&points=0",
    "montufar-2017-upper": "widths=16-1-16&color=pattern&boundary=0&points=0",
    "serra-2018-upper": "widths=16-2-16&color=pattern&boundary=0&points=0",
    "hinz-van-de-geer-2019": "widths=16-2-16&color=pattern&boundary=0&points=0",
    "antipodal-histogram": "widths=10&color=pattern&boundary=0&points=0&bias=1&window=-9,9,-9,9",
    "relu-symmetries": "widths=8-8&color=output&boundary=0&points=0",
    "piecewise-linear-functions": "data=expression&expr=max(abs(x),abs(y))&widths=8-8&step=400&color=output",
    # on a line
    "sawtooth-unit-interval": "data=sawtooth&init=sawtooth&widths=2-2-2&noise=0&boundary=0",
    "sawtooth-line": "data=sawtooth&init=sawtooth&widths=2-2-2&noise=0&boundary=0&window=-0.5,1.5,-1,1.5",
    "one-hidden-layer-pieces": "data=sine&widths=8&bias=1&boundary=0",
    "telgarsky-2015-pieces": "data=sawtooth&init=sawtooth&widths=4-4-4-4&noise=0&boundary=0",
    "interpolation": "data=abs&widths=4&noise=0&step=300&boundary=0",
    # random networks and training
    "hanin-rolnick-2019-plane": "widths=16-16-16&color=pattern&boundary=0&points=0&window=-8,8,-8,8",
    "hanin-rolnick-2019-line": "widths=16-16&segment=-1.5,-1,1.5,1&boundary=0&points=0",
    "hanin-rolnick-2019-distance": "widths=16-16&color=output&points=1",
    "hanin-rolnick-2019-training": "data=spirals&widths=16-16&step=400",
    # lengths
    "relu-length-law": "widths=64-64-64&segment=-1.5,-1,1.5,1&boundary=0&points=0",
    "hanin-jeong-rolnick-2022": "widths=32-32-32-32-32-32&segment=-1.5,-1,1.5,1&boundary=0&points=0",
    "price-tanner-2019": "widths=64-64-64&init=normal&segment=-1.5,-1,1.5,1&boundary=0&points=0",
    "raghu-2017-hard-tanh": "widths=32-32-32&act=hard-tanh&init=normal&segment=-1.5,-1,1.5,1&boundary=0&points=0",
    "slide-raghu-relu": "widths=32-32-32&init=normal&segment=-1.5,-1,1.5,1&boundary=0&points=0",
}
