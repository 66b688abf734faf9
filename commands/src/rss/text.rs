//! What people read: times, and tables of items and subscriptions.

use std::fmt::Write as _;

use jiff::Timestamp;

use super::{feed::Item, subscriptions::Subscription};

/// To the minute, in UTC.
const MINUTES: &str = "%Y-%m-%d %H:%M";

/// Milliseconds since the Unix epoch as date and time.
pub(super) fn time(ms: i64) -> String {
    Timestamp::from_millisecond(ms)
        .map_or_else(|_| format!("{ms} ms"), |time| time.strftime(MINUTES).to_string())
}

/// A duration, in the largest unit that tells it well; what is left of the last one counts whole.
pub(super) fn duration(ms: u64) -> String {
    match ms.div_ceil(1000) {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{} h", seconds.div_ceil(3600)),
    }
}

/// How many at most: the value of a flag.
///
/// # Errors
/// It is no number from 1 to 500.
pub(super) fn parse_count(text: &str) -> Result<u16, &'static str> {
    text.parse()
        .ok()
        .filter(|count| (1..=500).contains(count))
        .ok_or("it is no whole number from 1 to 500")
}

/// `1 item`, `2 items`.
pub(super) fn count(number: usize, one: &str) -> String {
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}

/// A line for each item with its date and title, and one for its link below the title.
pub(super) fn items(items: &[Item]) -> String {
    /// That of [`MINUTES`]: what is longer moves its own title, and no other.
    const WIDEST: usize = 16;

    let dates: Vec<String> = items.iter().map(date).collect();
    let width = dates.iter().map(|date| date.chars().count()).max().unwrap_or_default().min(WIDEST);
    // Without any date there is no column for them.
    let gap = if width == 0 { "" } else { "  " };
    items.iter().zip(&dates).fold(String::new(), |mut text, (item, date)| {
        let title = item.title.as_deref().unwrap_or("(no title)");
        let _ = writeln!(text, "  {date:width$}{gap}{title}");
        if let Some(link) = &item.link {
            let _ = writeln!(text, "  {:width$}{gap}{link}", "");
        }
        text
    })
}

/// Titles, then a line for each subscription.
pub(super) fn subscriptions(rows: &[&Subscription]) -> String {
    let Some(longest) = rows.iter().map(|row| row.name.as_str().len()).max() else {
        return String::new();
    };
    let width = longest.max("name".len());
    let titles = format!("  {:width$}  {:16}  url\n", "name", "updated");
    rows.iter().fold(titles, |mut text, row| {
        let (name, updated) = (row.name.as_str(), time(row.updated_at_ms));
        let _ = writeln!(text, "  {name:width$}  {updated:16}  {}", row.url);
        text
    })
}

/// When it was published, or else changed: to the minute where that was understood, as the feed has
/// it where not.
fn date(item: &Item) -> String {
    let Some(date) = item.published_at.as_ref().or(item.updated_at.as_ref()) else {
        return String::new();
    };
    date.parse::<Timestamp>()
        .map_or_else(|_| date.clone(), |time| time.strftime(MINUTES).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(title: Option<&str>, published_at: Option<&str>, link: Option<&str>) -> Item {
        Item {
            title: title.map(str::to_owned),
            published_at: published_at.map(str::to_owned),
            link: link.map(str::to_owned),
            ..Item::default()
        }
    }

    #[test]
    fn an_item_has_its_date_before_and_its_link_below_its_title() {
        let listed = items(&[
            item(Some("One"), Some("2026-02-18T08:49:37Z"), Some("https://a.example/1")),
            item(None, Some("last week"), None),
            item(Some("Three"), None, Some("https://a.example/3")),
            item(Some("Four"), Some("on the last day of the month"), None),
            Item {
                updated_at: Some("2026-02-19T00:00:00Z".to_owned()),
                ..item(Some("Five"), None, None)
            },
        ]);
        assert_eq!(
            listed,
            "  2026-02-18 08:49  One
                    https://a.example/1
  last week         (no title)
                    Three
                    https://a.example/3
  on the last day of the month  Four
  2026-02-19 00:00  Five
"
        );
    }

    #[test]
    fn items_without_dates_have_no_column_for_them() {
        let listed = items(&[item(Some("One"), None, Some("https://a.example/1"))]);
        assert_eq!(listed, "  One\n  https://a.example/1\n");
        assert_eq!(items(&[]), "");
    }

    #[test]
    fn durations_are_told_in_a_unit_that_fits() {
        for (ms, told) in [
            (0, "0 s"),
            (1, "1 s"),
            (119_000, "119 s"),
            (120_000, "2 min"),
            (121_000, "3 min"),
            (7_200_000, "2 h"),
            (u64::MAX, "5124095576031 h"),
        ] {
            assert_eq!(duration(ms), told);
        }
    }

    #[test]
    fn a_time_out_of_range_is_told_as_it_is() {
        assert_eq!(time(1_700_000_000_000), "2023-11-14 22:13");
        assert_eq!(time(i64::MAX), "9223372036854775807 ms");
    }
}
