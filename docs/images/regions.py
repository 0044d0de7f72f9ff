"""Draws regions.png, the picture of the README: the network of ``plica demo`` at four moments of its training."""

from pathlib import Path

from matplotlib.figure import Figure

from plica.cli._spirals import spirals, train
from plica.plot import plot_complex

EPOCHS = (0, 10, 40, 200)


def main() -> None:
    points, labels = spirals(seed=0)
    moments = [m for m, _ in train(points, labels, seed=0, epochs=EPOCHS[-1], drawn=EPOCHS) if m.complex is not None]
    figure = Figure(figsize=(12, 3.35), layout="constrained")
    for ax, moment in zip(figure.subplots(1, len(EPOCHS)), moments, strict=True):
        plot_complex(moment.complex, ax=ax, boundary=True, colorbar=False, edge_width=0.3)
        for label, marker, color in ((0, "o", "#0a5f93"), (1, "D", "#b04a00")):
            chosen = points[labels == label]
            ax.plot(*chosen.T, marker, color=color, markersize=3, markeredgecolor="white", markeredgewidth=0.4)
        ax.set_title(f"epoch {moment.epoch}: {moment.n_regions} regions", fontsize=12)
        ax.set(xticks=[], yticks=[], xlabel="", ylabel="")
    figure.savefig(Path(__file__).with_name("regions.png"), dpi=100)


if __name__ == "__main__":
    main()
