"""The ``plica`` command. One file for each command; a new one is an import and a line below."""

from plica.cli._app import add, new_app
from plica.cli._boundary import boundary
from plica.cli._build import OPTIONS, build
from plica.cli._check import check
from plica.cli._claims import claims
from plica.cli._compare import compare
from plica.cli._compress import compress
from plica.cli._data import register as register_data
from plica.cli._demo import demo
from plica.cli._exercise import exercise
from plica.cli._explore import explore
from plica.cli._figure import figure
from plica.cli._landscape import landscape
from plica.cli._lecture import lecture
from plica.cli._prune import prune
from plica.cli._radius import radius
from plica.cli._regions import regions
from plica.cli._report import report
from plica.cli._sweep import register as register_sweep
from plica.cli._train import attend, sample, train, translate
from plica.cli._verify import verify

app = new_app()
add(app, demo, example="plica demo --out page.html")
add(app, regions, example="plica regions model.onnx --data x.npy --through 0,1,2 --plot regions.svg")
add(app, boundary, example="plica boundary model.onnx --data x.npy --through 0,1,2 --plot boundary.svg")
add(app, compare, example="plica compare a.onnx b.onnx --box -1,1")
add(app, compress, example="plica compress model.onnx --box 0,1 --out small.onnx")
add(app, prune, example="plica prune model.onnx --method magnitude --keep 0.1 --out pruned.onnx")
add(app, report, example="plica report model.onnx --data x.npy --labels y.npy --out report.html")
add(app, explore, example="plica explore model.onnx --data x.npy --through 0,1,2")
add(app, claims, example="plica claims show zaslavsky-1975")
add(app, check, example="plica check zaslavsky-1975 slide-binomial-sum")
add(app, figure, example="plica figure zaslavsky-1975 --out zaslavsky.pdf")
add(app, lecture, example="plica lecture 4 --out lecture4.html")
add(app, exercise, example="plica exercise sixteen-pieces --answer teeth.safetensors")
add(app, build, example="plica build squaring --m 6 --out square.onnx --verify", settings=OPTIONS)
add(app, landscape, example="plica landscape a.onnx --data x.npy --targets y.npy --to b.onnx --match")
add(app, radius, example="plica radius model.onnx --data x.npy --norm l2 --rows 0,1,2")
add(app, verify, example="plica verify net.onnx property.vnnlib --timeout 116")
add(app, train, example="plica train chars --data shakespeare.txt --out bard")
add(app, sample, example="plica sample bard --prompt 'ROMEO:' --length 500")
add(app, translate, example="plica translate plica-translate 'drei hundert zwei und vierzig'")
add(app, attend, example="plica attend plica-translate 'zwei und vierzig' --out attention.html")
register_sweep(app)
register_data(app)


def main() -> None:
    """Run the command line."""
    app(prog_name="plica")


__all__ = ["app", "main"]
