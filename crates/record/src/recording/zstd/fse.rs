//! Finite state entropy coding of the weights of a Huffman tree, as RFC 8878 section 4.1 and 4.2.1.2 describe it.

use super::BitWriter;

/// States are numbers of this many bits, the most the format allows for weights.
const ACCURACY: u32 = 6;
const SIZE: usize = 1 << ACCURACY;
/// Weights go from 0 to 11.
const SYMBOLS: usize = 12;

/// Description of the table and the coded weights; none where all are equal, which this coding cannot end.
pub(super) fn encode(weights: &[u8]) -> Option<Vec<u8>> {
    let shares = shares(weights)?;
    let states = states(&shares);
    let mut coded = describe(&shares);
    let mut bits = BitWriter::default();
    // Two chains take turns; a decoder starts with the first, so both are written from the end.
    let mut chains: [Option<usize>; 2] = [None; 2];
    for (index, weight) in weights.iter().enumerate().rev() {
        let symbol = usize::from(*weight);
        let chain = &mut chains[index & 1];
        // The first state of a symbol reads most bits, so that a decoder notices the end at once.
        let next = match *chain {
            None => states[symbol][0],
            Some(state) => {
                let share = shares[symbol];
                let full = state + SIZE;
                let mut drop = 0;
                while full >> drop >= 2 * share {
                    drop += 1;
                }
                bits.push((full & ((1 << drop) - 1)) as u32, drop);
                states[symbol][(full >> drop) - share]
            }
        };
        *chain = Some(next);
    }
    bits.push(chains[1]? as u32, ACCURACY);
    bits.push(chains[0]? as u32, ACCURACY);
    coded.extend(bits.close());
    Some(coded)
}

/// Share of each symbol in the states: at least one where it occurs, [`SIZE`] together.
fn shares(weights: &[u8]) -> Option<[usize; SYMBOLS]> {
    let mut counts = [0usize; SYMBOLS];
    for weight in weights {
        *counts.get_mut(usize::from(*weight))? += 1;
    }
    if counts.iter().filter(|count| **count > 0).count() < 2 {
        return None;
    }
    let mut shares = counts.map(|count| if count == 0 { 0 } else { (count * SIZE / weights.len()).max(1) });
    // What rounding left over goes where a state more or less costs least.
    while shares.iter().sum::<usize>() != SIZE {
        let excess = shares.iter().sum::<usize>() > SIZE;
        let load = |symbol: &usize| counts[*symbol] * 4096 / shares[*symbol];
        if excess {
            let symbol = (0..SYMBOLS).filter(|symbol| shares[*symbol] > 1).min_by_key(load)?;
            shares[symbol] -= 1;
        } else {
            let symbol = (0..SYMBOLS).filter(|symbol| shares[*symbol] > 0).max_by_key(load)?;
            shares[symbol] += 1;
        }
    }
    Some(shares)
}

/// States of each symbol, ascending, after the format's way of spreading them.
fn states(shares: &[usize; SYMBOLS]) -> [Vec<usize>; SYMBOLS] {
    const STEP: usize = (SIZE >> 1) + (SIZE >> 3) + 3;
    let mut symbol_of = [0; SIZE];
    let mut at = 0;
    for (symbol, share) in shares.iter().enumerate() {
        for _ in 0..*share {
            symbol_of[at] = symbol;
            at = (at + STEP) % SIZE;
        }
    }
    let mut states: [Vec<usize>; SYMBOLS] = Default::default();
    for (state, symbol) in symbol_of.iter().enumerate() {
        states[*symbol].push(state);
    }
    states
}

/// The shares in the format's variable number of bits.
fn describe(shares: &[usize; SYMBOLS]) -> Vec<u8> {
    let mut bits = BitWriter::default();
    bits.push(ACCURACY - 5, 4);
    let mut left = SIZE + 1;
    let mut symbol = 0;
    while left > 1 {
        // Values 0 … left; those below `short` take one bit less.
        let width = usize::BITS - left.leading_zeros();
        let threshold = 1usize << (width - 1);
        let short = 2 * threshold - 1 - left;
        let value = shares[symbol] + 1;
        if value < short {
            bits.push(value as u32, width - 1);
        } else if value < threshold {
            bits.push(value as u32, width);
        } else {
            bits.push((value + short) as u32, width);
        }
        left -= shares[symbol];
        let zero = shares[symbol] == 0;
        symbol += 1;
        if zero {
            let run = shares[symbol..].iter().take_while(|share| **share == 0).count();
            symbol += run;
            for _ in 0..run / 3 {
                bits.push(3, 2);
            }
            bits.push((run % 3) as u32, 2);
        }
    }
    bits.align()
}
