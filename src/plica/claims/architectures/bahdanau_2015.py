r"""Bahdanau, Cho, Bengio: attention translates better than a fixed context, and a Transformer better than both.

Claim
    Trained on the same sentences for the same number of epochs, a recurrent encoder-decoder with one context vector translates
    worse than one with attention, and that worse than a Transformer.
Source
    D. Bahdanau, K. Cho, Y. Bengio, Neural Machine Translation by Jointly Learning to Align and Translate, ICLR 2015
    [bahdanau2015]; A. Vaswani et al., NeurIPS 2017, Table 2 [vaswani2017]; D. Elliott et al., Multi30K, 2016 [elliott2016].
Prediction
    the order recurrent < with attention < Transformer in sacreBLEU, of both papers. That the Transformer reaches 30 on Multi30k
    within 1,800 processor seconds is our own mark, so that a slow or broken training is seen.
Measurement
    German to English on test2016, beam of 4, sacreBLEU (cased, 13a) with its standard error over resampled test sets;
    plica.models.recurrent.Seq2Seq and plica.models.transformer.Transformer with 4 million parameters each, 4,000 byte pairs,
    7 epochs
Stand-in
    In toy sentences whose verb moves from the end to the second place, an encoder-decoder with attention gets more words
    right than one with a single context vector, after the same training.
Remark
    The full scale takes about fifty minutes of one processor and needs sacrebleu (the extra "text"). With the environment
    variable PLICA_CHECKPOINTS naming a folder, a run that was cut goes on from its last checkpoint.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from plica._palette import MAGNITUDES
from plica.claims import Evidence, Row, control, row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("fixed-context-bottleneck",)
SEED = 2015
N_TOKENS, N_BATCH, N_EPOCHS = 4000, 64, 7
MODELS = ("recurrent", "recurrent with attention", "transformer")


def translator(name: str, vocabulary: int) -> Any:
    """One of the three models, with the weights of the seed."""
    from plica.models import build
    from plica.models.recurrent import Seq2Seq, Seq2SeqConfig
    from plica.models.transformer import Transformer, TransformerConfig

    if name == "transformer":
        config = TransformerConfig(
            vocabulary, vocabulary, d_model=256, n_heads=4, d_ff=512, n_encoder_layers=3, n_decoder_layers=2, norm="pre",
            dropout=0.1, max_length=128,
        )  # fmt: skip
        return build(Transformer, config, seed=SEED)
    context = "additive" if "attention" in name else "fixed"
    settings = Seq2SeqConfig(vocabulary, vocabulary, context=context, d_embedding=256, d_hidden=256, dropout=0.2, max_length=128)
    return build(Seq2Seq, settings, seed=SEED)


def trained(name: str, corpus: Any) -> tuple[Any, float]:
    """The model after training, and the processor seconds it took."""
    from plica.learn.tasks import Recipe, train_translator

    model = translator(name, corpus.bpe.n_tokens)
    n_steps = N_EPOCHS * -(-len(corpus.train) // N_BATCH)
    recipe = Recipe(n_steps, rate=1e-3, n_warmup=400, seed=SEED)
    training = train_translator(model, corpus, recipe, n_batch=N_BATCH, name="bahdanau-2015-" + name.replace(" ", "-"))
    return model, training.processor_seconds


def check(scale: str) -> Evidence:
    return full() if scale == "full" else quick()


def full() -> Evidence:
    from plica.learn.tasks import bleu, multi30k, translate

    corpus = multi30k(N_TOKENS)
    sources, references = zip(*corpus.test, strict=True)
    rows: list[Row] = []
    scores: list[tuple[float, float]] = []
    draw = None
    for name in MODELS:
        model, seconds = trained(name, corpus)
        found = bleu(translate(model, corpus.bpe, sources), references)
        note: dict[str, Any] = {"model": name, "processor_seconds": round(seconds), "signature": found.signature}
        if scores:
            before, error = scores[-1]
            error = (error**2 + found.standard_error**2) ** 0.5
            rows.append(
                row(found.score, ">", before, kind="estimated", standard_error=error, what="BLEU above the model before", **note)
            )
        else:
            rows.append(row(found.score, ">", 5.0, kind="estimated", standard_error=found.standard_error, what="BLEU", **note))
        scores.append((found.score, found.standard_error))
        if name == MODELS[1]:
            draw = alignment_figure(model, corpus, corpus.test[0][0])
    rows.append(control(scores[-1][0], ">=", 30.0, kind="estimated", standard_error=scores[-1][1], what="BLEU", model=MODELS[-1]))
    rows.append(control(seconds, "<=", 1800.0, kind="estimated", standard_error=0.0, what="processor seconds", model=MODELS[-1]))
    return Evidence(rows, draw=draw, seed=SEED)


def alignment_figure(model: Any, corpus: Any, sentence: str) -> Callable[[Axes], None]:
    """Where the decoder looks while it translates a sentence, token by token."""
    import torch

    from plica.learn.tasks import END, START, padded
    from plica.models.decoding import beam

    source = padded([corpus.bpe.encode(sentence)])
    written = list(beam(model, source, max_length=80).tokens[0])
    with torch.no_grad():
        weights = model.alignment(source, padded([[START, *written]]))[0].numpy()
    across = [corpus.bpe.text([t]).strip() for t in source[0].tolist()]
    down = [corpus.bpe.text([t]).strip() for t in [*written, END]]

    def draw(ax: Axes) -> None:
        ax.imshow(weights, cmap=MAGNITUDES, aspect="auto")
        ax.set_xticks(range(len(across)), across, rotation=60, ha="right", fontsize=7)
        ax.set_yticks(range(len(down)), down, fontsize=7)

    return draw


def quick() -> Evidence:
    from plica.claims.architectures._transduction import token_accuracy

    plain, _ = token_accuracy("none", 6, task="verb", n_steps=120, seed=SEED, d=32, n_batch=32, rate=1e-2)
    attending, _ = token_accuracy("additive", 6, task="verb", n_steps=120, seed=SEED, d=32, n_batch=32, rate=1e-2)
    error = 0.5 / (500 * 6) ** 0.5
    rows = [
        row(attending, ">", 0.6, kind="estimated", standard_error=error, model=MODELS[1], what="share of words right"),
        row(
            attending - plain, ">", 0.2, kind="estimated", standard_error=2 * error, model=MODELS[1], what="above the one without"
        ),
    ]
    return Evidence(rows, seed=SEED)
