"""Real photographs to measure with, from Debian's wallpaper packages."""

from vitrine.local.debian_files import DebianFile

DRAGONFLY = DebianFile(
    name="dragonfly.jpg",
    package="lomiri-wallpapers-16.04",
    path="usr/share/backgrounds/Dragonfly_by_Bolly.jpg",
    sha256="af5af17841009732def24b09bb1e669a1b09d2b4bdeee7812c371101c30d2bb3",
    width=4224,
    height=3168,
)

ELEPHANTS = DebianFile(
    name="elephants.jpg",
    package="mate-backgrounds",
    path="usr/share/backgrounds/mate/abstract/Elephants_5640x3172.jpg",
    sha256="7ab602cd55aedd107743973353e58771860d1a74a0cd0701e8351096535edde8",
    width=5640,
    height=3172,
)
"""A photographed painting, grainy, 17.9 megapixels, sRGB."""

KLEIBER = DebianFile(
    name="kleiber.jpg",
    package="lomiri-wallpapers-20.04",
    path="usr/share/backgrounds/Kleiber_by_Lukas_Baubkus.jpg",
    sha256="6572410c09f4492c74ccadde133565a14c0161617d5917d4c820c66d65a44ba7",
    width=6028,
    height=3391,
)

SEEDING = DebianFile(
    name="seeding.jpg",
    package="lomiri-wallpapers-16.04",
    path="usr/share/backgrounds/seeding_by_Clements_Engelhardt.jpg",
    sha256="a5634d1ab5e41a3568e92d4a894a500c92b891f9ff734e50bd224d6e185a605f",
    width=5312,
    height=2988,
)

SUNSET = DebianFile(
    name="sunset.jpg",
    package="lomiri-wallpapers-16.04",
    path="usr/share/backgrounds/sunset_by_Aitzol_Berasategi.jpg",
    sha256="474dab6a4b9f94dc76c29dfe30e9f5db4af0fd2e33fe5d695f8152b371efca18",
    width=4272,
    height=2848,
)

ADOBE_RGB = DebianFile(
    name="AdobeRGB1998.icc",
    package="colord-data",
    path="usr/share/color/icc/colord/AdobeRGB1998.icc",
    sha256="ba7062c37f90353145601f79fd05e3bf74b844dc3fb78f28f9d7afdd192272f8",
)
