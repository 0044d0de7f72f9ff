"""The words that fields of the state choose from, and what the page calls them."""

DATA = ("moons", "circles", "spirals", "sine", "abs", "square", "sawtooth", "expression", "csv", "model")
ACTIVATIONS = ("relu", "leaky-relu", "abs", "hard-tanh", "tanh")
INITS = ("he-normal", "torch-default", "glorot-normal", "orthogonal", "normal", "sawtooth", "square", "folding", "zigzag")
OPTIMIZERS = ("sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam")
COLORS = ("output", "steps", "class", "pattern", "gradient", "error")
FEATURES = ("abs-x", "abs-y", "square-x", "square-y", "times", "sine-x", "sine-y")
VIEWS = (
    "plane", "map", "surface", "fold", "trajectory", "complex", "weights", "robust", "noise", "approximation", "descent",
    "meanfield", "attention",
)  # fmt: skip
USES_NETWORK = ("plane", "map", "surface", "fold", "trajectory", "complex", "weights", "robust")
"""Views of the network that the other fields describe; the others have their own."""
PHIS = ("tanh", "erf", "relu", "hard-tanh", "identity")
MATRICES = ("gaussian", "orthogonal")
TOKENS = ("gaussian", "unit", "layer-norm")
SCORES = ("scaled", "dot", "cosine", "distance")
MASKS = ("full", "causal", "printed", "window", "causal-window")
PLACES = ("none", "sinusoidal", "rotary", "alibi")
BUILDERS = ("squaring", "product", "sawtooth", "spline", "threshold", "narrow", "wavelets", "cosine", "maximum")
NORMS = ("l2", "linf")
PERTURBED = ("all", "weights", "biases")
DIRECTIONS = ("start", "random")
PENALTIES = ("none", "l1", "l2")
PATHS = ("segment", "circle")
THEMES = ("system", "light", "dark")
PARTS = ("data", "network", "training", "view", "readouts", "claims", "more", "legend", "card")

OPTION_LABELS = {
    "moons": "two moons", "circles": "two circles", "spirals": "two spirals", "abs": "|x|", "square": "x²",
    "expression": "an expression", "csv": "your table", "model": "your model",
    "relu": "ReLU", "leaky-relu": "leaky ReLU", "hard-tanh": "hard tanh", "tanh": "tanh (smooth)",
    "he-normal": "He", "torch-default": "torch default", "glorot-normal": "Glorot", "normal": "normal 1/n",
    "folding": "folding (proof)", "zigzag": "zigzag (proof)",
    "class": "class", "steps": "output in ten steps", "identity": "linear",
    "pattern": "activation pattern", "gradient": "gradient norm", "error": "error against the target", "system": "as the system",
    "sgd": "SGD", "nesterov": "Nesterov", "adagrad": "AdaGrad", "rmsprop": "RMSProp", "adam": "Adam",
    "map": "class map", "l1": "L1", "l2": "L2", "fold": "folding", "linf": "maximum norm",
    "complex": "3-D", "meanfield": "mean field", "unit": "unit length", "layer-norm": "layer norm",
    "scaled": "q·k / dᵅ", "dot": "q·k", "distance": "squared distance",
    "printed": "as printed (i > j hidden)",
    "causal-window": "causal window",
    "squaring": "x², Yarotsky", "product": "x y, Yarotsky", "threshold": "steps",
    "cosine": "cosine", "maximum": "maximum of two", "narrow": "narrow and deep",
    "start": "to the start",
    "abs-x": "|x|", "abs-y": "|y|", "square-x": "x²", "square-y": "y²", "times": "xy",
    "sine-x": "sin πx", "sine-y": "sin πy",
}  # fmt: skip
"""What options are called on the page, where it is not their name."""
