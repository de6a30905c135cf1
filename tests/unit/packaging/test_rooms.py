"""Who reads the first lines of the package knows what each of its folders is for."""

from pathlib import Path

import vitrine


def test_the_package_says_what_each_of_its_modules_and_folders_is_for() -> None:
    folder = Path(str(vitrine.__file__)).parent
    rooms = {path.stem for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()}
    unnamed = {room for room in rooms if f"`{room}`" not in str(vitrine.__doc__)}
    assert unnamed <= {"__init__", "__pycache__"}
