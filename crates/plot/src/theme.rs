//! Colours and weights of the two looks.

/// A colour, eight bits a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color {
    /// Red.
    pub red: u8,
    /// Green.
    pub green: u8,
    /// Blue.
    pub blue: u8,
}

impl Color {
    /// The colour `0xRRGGBB`.
    pub const fn hex(rgb: u32) -> Self {
        Self { red: (rgb >> 16) as u8, green: (rgb >> 8) as u8, blue: rgb as u8 }
    }
}

/// The look of a plot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// Dark ink on white, for paper and light pages.
    #[default]
    Light,
    /// Light ink on a dark ground, for screens and slides.
    Dark,
}

pub(crate) struct Inks {
    pub ground: Color,
    pub panel: Color,
    pub text: Color,
    pub muted: Color,
    pub grid: Color,
    pub axis: Color,
    pub zero: Color,
    pub series: [Color; 7],
}

/// Series colours that stay apart under the common colour vision deficiencies, after `okabe2008`.
const LIGHT: Inks = Inks {
    ground: Color::hex(0xffffff),
    panel: Color::hex(0xf8f9fb),
    text: Color::hex(0x17202e),
    muted: Color::hex(0x566173),
    grid: Color::hex(0xe3e7ed),
    axis: Color::hex(0x8c97a8),
    zero: Color::hex(0xbcc5d1),
    series: [
        Color::hex(0x0072b2),
        Color::hex(0xd55e00),
        Color::hex(0x009e73),
        Color::hex(0xb8578f),
        Color::hex(0xe69f00),
        Color::hex(0x56b4e9),
        Color::hex(0x4b5563),
    ],
};

const DARK: Inks = Inks {
    ground: Color::hex(0x12161d),
    panel: Color::hex(0x181d26),
    text: Color::hex(0xe9edf3),
    muted: Color::hex(0x9aa6b6),
    grid: Color::hex(0x29313d),
    axis: Color::hex(0x5f6c7e),
    zero: Color::hex(0x465162),
    series: [
        Color::hex(0x56b4e9),
        Color::hex(0xf5793a),
        Color::hex(0x2fc79a),
        Color::hex(0xe69ac8),
        Color::hex(0xf0b429),
        Color::hex(0x4d8fe0),
        Color::hex(0xc3cad4),
    ],
};

impl Theme {
    pub(crate) fn inks(self) -> &'static Inks {
        match self {
            Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
        }
    }

    /// Colour of the series with this index, as automatic colouring chooses it.
    pub fn series_color(self, index: usize) -> Color {
        let series = &self.inks().series;
        series[index % series.len()]
    }
}
