//! Checks of the pages: their links, and how a browser shows them.

use crate::Result;
use crate::browser::Browser;
use crate::html::{self, Page};
use crate::rewrite::Titles;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Width and height of the windows in which pages are tried.
const WINDOWS: [(u32, u32); 2] = [(1360, 1000), (420, 800)];
/// Name, chapter, size and darkness of the pictures.
const PICTURES: [(&str, &str, (u32, u32), bool); 5] = [
    ("introduction", "introduction", (1360, 1000), false),
    ("first_gradient", "first_gradient", (1360, 2400), false),
    ("language", "language", (1360, 2400), true),
    ("how_it_works", "how_it_works", (1360, 2400), true),
    ("narrow", "matrices", (420, 2400), false),
];

/// Follows each link to a file. An error if a file or an anchor is missing.
pub(crate) fn links(book: &Path, documentation: &Path) -> Result<()> {
    let book = fs::canonicalize(book)?;
    let documentation = fs::canonicalize(documentation)?;
    let mut pages: BTreeMap<PathBuf, Page> = BTreeMap::new();
    let (mut missing, mut inside, mut outside) = (Vec::new(), 0, 0);
    let files = html_files(&book)?;
    for file in &files {
        let links = read(&mut pages, file)?.links.clone();
        for link in links {
            if link.starts_with("https://") {
                outside += 1;
                continue;
            }
            inside += 1;
            let (path, anchor) = match link.split_once('#') {
                Some((path, anchor)) => (path, Some(anchor)),
                None => (link.as_str(), None),
            };
            let to = match path {
                "" => file.clone(),
                path => file.with_file_name(path),
            };
            let mut add = |reason: &str| {
                missing.push(format!("{}: {link} {reason}", file.display()));
            };
            let Ok(to) = fs::canonicalize(&to) else {
                add("leads to no file");
                continue;
            };
            if !to.starts_with(&book) && !to.starts_with(&documentation) {
                add("leads out of the book");
            }
            if let Some(anchor) = anchor
                && !anchor.is_empty()
                && !read(&mut pages, &to)?.ids.contains(anchor)
            {
                add("leads to no anchor");
            }
        }
    }
    if !missing.is_empty() {
        return Err(format!("the book has wrong links:\n{}", missing.join("\n")).into());
    }
    println!(
        "links       {inside} to files and anchors, in {} pages; {outside} to other sites, which are not followed",
        files.len()
    );
    Ok(())
}

/// A page, which is read once.
fn read<'a>(pages: &'a mut BTreeMap<PathBuf, Page>, file: &Path) -> Result<&'a Page> {
    if !pages.contains_key(file) {
        let text = fs::read_to_string(file)?;
        pages.insert(file.to_path_buf(), html::page(&text));
    }
    Ok(&pages[file])
}

fn html_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let file = entry?.path();
        if file.extension().is_some_and(|of| of == "html") {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

/// Opens each chapter in a browser: its scripts must run without a message, and its title must be shown.
pub(crate) fn pages(target: &Path, book: &Path, chapters: &Titles) -> Result<()> {
    let folder = target.join("book-check");
    fs::create_dir_all(&folder)?;
    let Some(browser) = Browser::find(&folder) else {
        println!("browser     skipped: Chromium isn't installed, or isn't on the path");
        return Ok(());
    };
    let book = fs::canonicalize(book)?;
    let url = |name: &str| format!("file://{}/{name}.html", book.display());
    for (name, title) in &chapters.0 {
        let document = browser.document(&url(name), WINDOWS[0])?;
        is_shown(&document, name, title)?;
        is_silent(&folder, name)?;
    }
    let (name, title) = &chapters.0[0];
    is_shown(&browser.document(&url(name), WINDOWS[1])?, name, title)?;
    println!(
        "browser     {} chapters without a message",
        chapters.0.len()
    );
    for (picture, name, size, is_dark) in PICTURES {
        let file = folder.join(format!("{picture}.png"));
        browser.screenshot(&url(name), &file, size, is_dark)?;
        println!("picture     {}", file.display());
    }
    Ok(())
}

/// The title is a heading, and the script of the table of contents ran.
fn is_shown(document: &str, name: &str, title: &str) -> Result<()> {
    let heading = format!(">{title}</a></h1>");
    if !document.contains(&heading) {
        return Err(format!("{name}.html has no heading \"{title}\"").into());
    }
    if !document.contains("class=\"chapter-item") {
        return Err(format!("{name}.html has no table of contents").into());
    }
    Ok(())
}

/// The browser writes what pages print to the console to its log.
fn is_silent(folder: &Path, name: &str) -> Result<()> {
    let log = fs::read(folder.join("browser.log"))?;
    let log = String::from_utf8_lossy(&log);
    match log.lines().find(|line| line.contains(":CONSOLE")) {
        Some(line) => Err(format!("{name}.html prints to the console: {line}").into()),
        None => Ok(()),
    }
}
