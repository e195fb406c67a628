//! The process collector's series, read from `/proc` at scrape. Where `/proc` is missing they are
//! left out.

use std::fs;

use super::text::{Kind, Text};
use super::value::number;

/// Clock ticks a second; fixed for user space on Linux.
const TICKS: f64 = 100.0;

/// Writes what can be read.
pub(super) fn render(text: &mut Text) {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let boot = fs::read_to_string("/proc/stat").unwrap_or_default();
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let open = fs::read_dir("/proc/self/fd").ok().map(Iterator::count);
    let mut gauge = |name: &str, help: &str, value: Option<f64>| {
        if let Some(value) = value {
            text.family(name, Kind::Gauge, help);
            text.sample(name, &[], value);
        }
    };
    gauge(
        "process_resident_memory_bytes",
        "Resident memory size in bytes",
        kilobytes(&status, "VmRSS:"),
    );
    gauge(
        "process_virtual_memory_bytes",
        "Virtual memory size in bytes",
        kilobytes(&status, "VmSize:"),
    );
    gauge(
        "process_open_fds",
        "Number of open file descriptors",
        open.map(|count| number(count as u64)),
    );
    gauge(
        "process_max_fds",
        "Maximum number of open file descriptors",
        max_files(&limits),
    );
    gauge(
        "process_start_time_seconds",
        "Start time of the process since the Unix epoch in seconds",
        start_time(&stat, &boot),
    );
    if let Some(seconds) = cpu_seconds(&stat) {
        let name = "process_cpu_seconds_total";
        text.family(name, Kind::Counter, "User and system CPU time in seconds");
        text.sample(name, &[], seconds);
    }
}

fn kilobytes(status: &str, field: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes * 1024.0)
}

/// A field of `/proc/self/stat` by its number in proc(5); the command name may hold spaces.
fn stat_field(stat: &str, field: usize) -> Option<f64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let place = field.checked_sub(3)?;
    after_name.split_whitespace().nth(place)?.parse().ok()
}

fn cpu_seconds(stat: &str) -> Option<f64> {
    Some((stat_field(stat, 14)? + stat_field(stat, 15)?) / TICKS)
}

fn start_time(stat: &str, boot: &str) -> Option<f64> {
    let booted = boot.lines().find_map(|line| line.strip_prefix("btime "))?;
    let booted: f64 = booted.trim().parse().ok()?;
    Some(booted + stat_field(stat, 22)? / TICKS)
}

fn max_files(limits: &str) -> Option<f64> {
    let mut lines = limits.lines();
    let line = lines.find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_fields_are_found_behind_a_name_with_spaces() {
        let stat = "7 (a b) c) S 1 7 7 0 -1 0 1 2 3 4 150 50 0 0 20 0 1 0 1000 9 9";

        assert_eq!(cpu_seconds(stat), Some(2.0));
        assert_eq!(start_time(stat, "cpu 1\nbtime 500\n"), Some(510.0));
    }

    #[test]
    fn sizes_are_given_in_bytes() {
        assert_eq!(
            kilobytes("VmSize: 9 kB\nVmRSS:\t  12 kB\n", "VmRSS:"),
            Some(12_288.0)
        );
        assert_eq!(kilobytes("", "VmRSS:"), None);
    }

    #[test]
    fn the_soft_limit_of_files_is_the_one_told() {
        let limits =
            "Limit  Soft Hard\nMax open files            1024                 4096  files\n";

        assert_eq!(max_files(limits), Some(1024.0));
    }
}
