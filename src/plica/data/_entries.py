"""The published data sets: their files with hashes, where they are to be had, and under which terms."""

from __future__ import annotations

from dataclasses import dataclass

from plica.data._files import File

_IMAGES = (16, 784, "images-idx3-ubyte"), (8, 1, "labels-idx1-ubyte")


@dataclass(frozen=True)
class Entry:
    """A published data set.

    Attributes
    ----------
    name, title, terms
        How it is called, what it is, and its license.
    files
        All of them are needed.
    mirrors
        Addresses of folders that hold the files under their remote names.
    folders
        Names that a folder with the files goes by below a data folder; the first is the one that ``fetch`` makes.
    packages
        Commands of package managers that install the files into a system folder.
    packed
        A file that holds the same data in another form and is accepted instead of ``files``.
    archive
        Where mirrors hold one archive of all files: its name and size; the files are believed by their own hashes.
    """

    name: str
    title: str
    terms: str
    files: tuple[File, ...]
    mirrors: tuple[str, ...]
    folders: tuple[str, ...]
    packages: tuple[str, ...] = ()
    packed: str = ""
    archive: File | None = None


def _idx(part: str, images: str, labels: str, n: int) -> tuple[File, File]:
    (image_header, pixels, image_name), (label_header, _, label_name) = _IMAGES
    return (
        File(f"{part}-{image_name}", image_header + n * pixels, images, f"{part}-{image_name}.gz"),
        File(f"{part}-{label_name}", label_header + n, labels, f"{part}-{label_name}.gz"),
    )


ENTRIES = {
    entry.name: entry
    for entry in (
        Entry(
            name="mnist",
            title="60,000 + 10,000 handwritten digits, 28 x 28",
            terms="no formal license; widely redistributed",
            files=(
                *_idx(
                    "train",
                    "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
                    "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
                    60_000,
                ),
                *_idx(
                    "t10k",
                    "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
                    "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
                    10_000,
                ),
            ),
            mirrors=("https://storage.googleapis.com/cvdf-datasets/mnist/", "https://ossci-datasets.s3.amazonaws.com/mnist/"),
            folders=("mnist", "MNIST/raw", "MNIST"),
        ),
        Entry(
            name="fashion-mnist",
            title="60,000 + 10,000 articles of clothing, 28 x 28",
            terms="MIT",
            files=(
                *_idx(
                    "train",
                    "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
                    "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
                    60_000,
                ),
                *_idx(
                    "t10k",
                    "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
                    "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
                    10_000,
                ),
            ),
            mirrors=(
                "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/",
                "https://fashion-mnist.s3.eu-central-1.amazonaws.com/",
            ),
            folders=("fashion-mnist", "FashionMNIST/raw", "fashion_mnist"),
            packages=("apt install dataset-fashion-mnist",),
        ),
        Entry(
            name="cifar10",
            title="50,000 + 10,000 small photographs in color, 32 x 32, of 10 kinds",
            terms="no formal license; cite A. Krizhevsky (2009)",
            files=tuple(
                File(name, 10_000 * 3073, sha256, name)
                for name, sha256 in (
                    ("data_batch_1.bin", "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5"),
                    ("data_batch_2.bin", "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed"),
                    ("data_batch_3.bin", "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67"),
                    ("data_batch_4.bin", "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48"),
                    ("data_batch_5.bin", "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add"),
                    ("test_batch.bin", "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b"),
                )
            ),
            mirrors=("https://www.cs.toronto.edu/~kriz/",),
            folders=("cifar10", "cifar-10-batches-bin", "cifar-10"),
            archive=File("cifar-10-binary.tar.gz", 170_052_171, "", "cifar-10-binary.tar.gz"),
        ),
        Entry(
            name="tinyshakespeare",
            title="1,115,394 characters of Shakespeare",
            terms="public domain",
            files=(
                File(
                    "input.txt",
                    1_115_394,
                    "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
                    "input.txt",
                ),
            ),
            mirrors=("https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/",),
            folders=("tinyshakespeare",),
        ),
        Entry(
            name="multi30k",
            title="29,000 captions of images in German and English, with their validation and test sets",
            terms="no license file; for measurement, not for redistribution",
            files=tuple(
                File(name, n_bytes, sha256, f"{name}.gz")
                for name, n_bytes, sha256 in (
                    ("train.de", 2_110_398, "2c2b73fd2b548fbcde3a875e0a78d6ee94d498bfdee6bd3eae3945779e9ddf72"),
                    ("train.en", 1_801_238, "460a15fbd157e34a7a9957ee388c1ca247fe47af3ef25fb50442af6c274e0fc6"),
                    ("val.de", 75_981, "660e09eb7e1da2f856ea13ee5ad3cf6d36b3d5b0b733c857e94c5747a3dfc660"),
                    ("val.en", 63_297, "1f2a23d992769b5b3d209b0a10dd0b77c08cceb1f20dfb97ed0aafa49d107227"),
                    ("test_2016_flickr.de", 70_649, "4be6b5b3236b79c25475c6bb829800a7ce559e9ba7a1f6c2394fe4d40be46d16"),
                    ("test_2016_flickr.en", 62_076, "399a4382932c1aadd3ceb9bef1008d388a64c76d4ae4e9d4728c6f4301cac182"),
                    ("test_2017_flickr.de", 64_059, "c3078bc3b36808bf9d20eb2347ed6137016179ef59ec0d2b9b8ecc3fb2880081"),
                    ("test_2017_flickr.en", 55_242, "ce1450ddc5ab0834502579d77a170849952e15a2938b34cc503bdc25ebb4fb98"),
                )
            ),
            mirrors=("https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw/",),
            folders=("multi30k",),
        ),
        Entry(
            name="cora",
            title="citations among 2,708 papers, with 1,433 words and 7 subjects",
            terms="MIT (kimiyoung/planetoid)",
            files=tuple(
                File(f"ind.cora.{part}", n_bytes, sha256, f"ind.cora.{part}")
                for part, n_bytes, sha256 in (
                    ("x", 22_119, "23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab"),
                    ("y", 4_054, "94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1"),
                    ("tx", 148_025, "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a"),
                    ("ty", 28_135, "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad"),
                    ("allx", 257_305, "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543"),
                    ("ally", 47_959, "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71"),
                    ("graph", 59_847, "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d"),
                    ("test.index", 5_000, "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875"),
                )
            ),
            mirrors=("https://raw.githubusercontent.com/kimiyoung/planetoid/master/data/",),
            folders=("cora", "Cora/raw", "planetoid"),
            packed="cora.npz",
        ),
    )
}
