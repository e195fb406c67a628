use super::*;

#[test]
fn calendars_agree_with_the_date_they_were_made_from() {
    for days in (-800_000..800_000).step_by(37) {
        let time = Time::unix(days * 86_400 + 3_723, 0);
        let c = time.calendar();
        let date = [c.year, i64::from(c.month), i64::from(c.day)];

        assert_eq!(
            Time::from_civil(date, [1, 2, 3], 0, Zone::Utc).seconds(),
            time.seconds()
        );
    }
}

#[test]
fn the_zero_time_is_the_first_day_of_the_year_one() {
    assert_eq!(Time::zero().to_string(), "0001-01-01 00:00:00 +0000 UTC");
    assert!(Time::zero().is_zero());
}

#[test]
fn zones_are_found_by_their_exact_name() {
    let noon = Time::unix(1_700_000_000, 0);
    let layout = b"15:04 MST -0700";
    let shown = |name: &str| {
        let zone = Zone::load(name.as_bytes())?;
        Some(String::from_utf8(noon.in_zone(zone).format(layout)).unwrap())
    };

    assert_eq!(
        shown("America/New_York").as_deref(),
        Some("17:13 EST -0500")
    );
    assert_eq!(shown("Asia/Kolkata").as_deref(), Some("03:43 IST +0530"));
    assert_eq!(shown("").as_deref(), Some("22:13 UTC +0000"));
    assert_eq!(shown("america/new_york"), None);
    assert_eq!(shown("Nowhere/Land"), None);
}

#[test]
fn what_was_formatted_can_be_parsed() {
    let time = Time::unix(1_700_000_000, 123_456_789);
    let layouts: [&[u8]; 4] = [
        b"2006-01-02T15:04:05.999999999Z07:00",
        b"Mon, 02 Jan 2006 15:04:05.000000000 -0700",
        b"Monday January _2 3:04:05.000000000pm 2006",
        b"2006 002 15 04 05.000000000",
    ];

    for layout in layouts {
        let parsed = Time::parse(layout, &time.format(layout)).unwrap();

        assert_eq!(parsed.total_nanos(), time.total_nanos(), "{layout:?}");
    }
}
