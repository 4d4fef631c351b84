//! Lanes of every instruction set and width do to each number what plain code does to it.

use huygens_exec::lanes::{InstructionSet, Kernel, LANES, Lanes, Wide, WideKernel};

/// Numbers with different signs, sizes and equal neighbours; some are zero, infinite or no numbers.
const A: [f64; 8] = [1.5, -2.25, 0.1, -0.0, f64::INFINITY, 3.0e-160, f64::NAN, 7.0];
const B: [f64; 8] = [-0.3, -2.25, 1.0 / 3.0, 0.0, 2.0, 5.0e200, 1.0, f64::NAN];
const C: [f64; 8] = [4.0, 1e-17, -1.0 / 30.0, 2.0, -1.0, -0.1, 0.5, 11.0];

/// Rows of four numbers, all different.
fn table() -> [[f64; 4]; 8] {
    std::array::from_fn(|row| std::array::from_fn(|k| (10 * row + k) as f64 + 0.1))
}

/// Results of all operations, number by number.
#[derive(Default)]
struct Done {
    width: usize,
    /// Name, and the result of each lane.
    numbers: Vec<(&'static str, Vec<f64>)>,
    bits: Vec<(&'static str, u32)>,
    integers: Vec<(&'static str, Vec<u32>)>,
}

struct WideOperations;

impl WideKernel for WideOperations {
    type Output = Done;

    #[inline(always)]
    fn run<const N: usize, W: Wide<N>>(self) -> Done {
        fn first<const N: usize>(x: &[f64; 8]) -> &[f64; N] {
            x.first_chunk().expect("at most eight lanes")
        }
        let load = |x: &[f64; 8]| W::of_array(first::<N>(x));
        let numbers = |x: W| {
            let mut out = [0.0; N];
            x.put(&mut out);
            out.to_vec()
        };
        let (a, b, c) = (load(&A), load(&B), load(&C));
        let mut done = Done { width: N, ..Done::default() };
        for (name, x) in [
            ("add", a + b),
            ("sub", a - b),
            ("mul", a * b),
            ("div", a / b),
            ("neg", -a),
            ("of", W::of(0.7)),
            ("sqrt", b.sqrt()),
            ("powf", b.powf(0.3)),
            ("where_greater", a.where_greater(b, c, a)),
            ("mul_add", a.mul_add(b, c)),
            ("neg_mul_add", a.neg_mul_add(b, c)),
            ("larger", a.larger(b)),
            ("smaller", a.smaller(b)),
        ] {
            done.numbers.push((name, numbers(x)));
        }
        done.bits.push(("above", a.above(b)));
        done.bits.push(("any_positive", u32::from(a.any_positive())));
        done.bits.push(("any_positive of none", u32::from((-(a * a)).any_positive())));
        let table = table();
        let mut rows = [&table[0]; N];
        for lane in 0..N {
            rows[lane] = &table[lane];
        }
        let columns = W::columns(rows);
        for (name, column) in ["column 0", "column 1", "column 2", "column 3"].into_iter().zip(columns) {
            done.numbers.push((name, numbers(column)));
        }
        for (lane, row) in W::rows(columns).into_iter().enumerate() {
            assert_eq!(row.to_array(), table[lane], "row {lane} of {N}");
        }
        done.numbers.push(("row_total", W::row_total(columns).to_array().to_vec()));
        done.numbers.push(("sum", vec![columns[2].sum()]));
        let mut integers = [0; N];
        for lane in 0..N {
            integers[lane] = if lane % 3 == 1 { lane as u32 | 1 << 31 } else { 7 * lane as u32 };
        }
        done.bits.push(("highest_bits", W::highest_bits(&integers)));
        for bits in 0..1_u32 << N {
            let packed = W::packed(&integers, bits);
            done.integers.push(("packed", packed[..bits.count_ones() as usize].to_vec()));
            done.integers.push(("counted", W::counted(bits, 40, u32::MAX).to_vec()));
        }
        done
    }
}

/// The same bits, or no number in both.
fn same(x: f64, y: f64) -> bool {
    x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan()
}

/// What each lane should hold.
fn expected(name: &str, lane: usize, fused: bool) -> f64 {
    let (a, b, c) = (A[lane], B[lane], C[lane]);
    let column = |k: usize| table()[lane][k];
    match name {
        "add" => a + b,
        "sub" => a - b,
        "mul" => a * b,
        "div" => a / b,
        "neg" => -a,
        "of" => 0.7,
        "sqrt" => b.sqrt(),
        "powf" => b.powf(0.3),
        "where_greater" => {
            if a > b {
                c
            } else {
                a
            }
        }
        "mul_add" if fused => a.mul_add(b, c),
        "mul_add" => a * b + c,
        "neg_mul_add" if fused => (-a).mul_add(b, c),
        "neg_mul_add" => c - a * b,
        // The second where they do not compare, or are equal.
        "larger" => {
            if a > b {
                a
            } else {
                b
            }
        }
        "smaller" => {
            if a < b {
                a
            } else {
                b
            }
        }
        "column 0" => column(0),
        "column 1" => column(1),
        "column 2" => column(2),
        "column 3" => column(3),
        _ => unreachable!("{name} has no expectation"),
    }
}

#[test]
fn every_operation_agrees_with_scalars_on_every_instruction_set() {
    for set in InstructionSet::available() {
        let fused = set.name() != "plain";
        let done = set.run_wide(WideOperations);
        let width = done.width;
        assert_eq!(width, if set.name() == "avx512" { 8 } else { 4 }, "{}", set.name());
        for (name, x) in &done.numbers {
            match *name {
                "row_total" | "sum" => {
                    let total = |k: usize| (0..width).map(|row| table()[row][k]).sum::<f64>();
                    let totals = if *name == "sum" { vec![total(2)] } else { (0..4).map(total).collect() };
                    for (x, total) in x.iter().zip(totals) {
                        assert!((x - total).abs() <= 1e-15 * total, "{name} of {}: {x}, {total}", set.name());
                    }
                }
                _ => {
                    assert_eq!(x.len(), width);
                    for (lane, x) in x.iter().enumerate() {
                        let want = expected(name, lane, fused);
                        assert!(same(*x, want), "{name} of {}, lane {lane}: {x:e}, not {want:e}", set.name());
                    }
                }
            }
        }
        let lanes = (1_u32 << width) - 1;
        let above = (0..8).filter(|k| A[*k] > B[*k]).map(|k| 1 << k).sum::<u32>() & lanes;
        assert_eq!(
            done.bits,
            [
                ("above", above),
                ("any_positive", 1),
                ("any_positive of none", 0),
                ("highest_bits", 0b1001_0010 & lanes)
            ],
            "{}",
            set.name()
        );
        let integers: Vec<u32> =
            (0..width as u32).map(|lane| if lane % 3 == 1 { lane | 1 << 31 } else { 7 * lane }).collect();
        for (bits, results) in done.integers.chunks(2).enumerate() {
            let set_lanes: Vec<usize> = (0..width).filter(|lane| bits >> lane & 1 != 0).collect();
            let packed: Vec<u32> = set_lanes.iter().map(|lane| integers[*lane]).collect();
            assert_eq!(results[0], ("packed", packed), "{}, bits {bits:b}", set.name());
            let mut counted = vec![u32::MAX; width];
            set_lanes.iter().enumerate().for_each(|(k, lane)| counted[*lane] = 40 + k as u32);
            assert_eq!(results[1], ("counted", counted), "{}, bits {bits:b}", set.name());
        }
    }
}

struct FourOperations;

impl Kernel for FourOperations {
    type Output = Vec<[f64; LANES]>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let table = table();
        let rows = [&table[0], &table[1], &table[2], &table[3]];
        let columns = L::transpose_in(rows);
        let back = L::transpose(columns);
        let mut out: Vec<[f64; LANES]> = back.into_iter().map(L::to_array).collect();
        out.push(L::load(&table[5]).cycled().to_array());
        out.push([columns[1].total(); LANES]);
        out.push([f64::from(L::load(&table[1]).greater_bits(L::load(&[10.1, 5.0, 99.0, -1.0]))); LANES]);
        out
    }
}

#[test]
fn rows_of_four_are_turned_alike_on_every_instruction_set() {
    let table = table();
    let [x, y, z, w] = table[5];
    let total = (table[0][1] + table[1][1]) + (table[2][1] + table[3][1]);
    let want = vec![table[0], table[1], table[2], table[3], [y, z, x, w], [total; 4], [f64::from(0b1010); 4]];
    for set in InstructionSet::available() {
        assert_eq!(set.run(FourOperations), want, "{}", set.name());
    }
}

#[test]
fn the_best_instruction_set_is_the_last_of_those_available() {
    let sets = InstructionSet::available();
    assert_eq!(sets[0].name(), "plain");
    assert_eq!(sets.last(), Some(&InstructionSet::detect()));
}
