//! "Did you mean": the name nearest to a misspelt one.

/// Names longer than this are never typing errors of one another worth the quadratic search.
const LONGEST_NAME: usize = 64;

/// Candidate with the fewest insertions, deletions, replacements and swaps from `name`.
///
/// Nothing is returned when more than a third of the letters would have to change.
pub fn closest_name<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.chars().take(LONGEST_NAME + 1).collect();
    if wanted.len() > LONGEST_NAME {
        return None;
    }
    let allowed = (wanted.len() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let letters: Vec<char> = candidate.chars().take(LONGEST_NAME + 1).collect();
        if letters.len().abs_diff(wanted.len()) > allowed {
            continue;
        }
        let distance = edit_distance(&wanted, &letters);
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Optimal string alignment distance, ignoring case.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let same = |x: char, y: char| x.to_lowercase().eq(y.to_lowercase());
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(!same(a[i - 1], b[j - 1]));
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]) {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
