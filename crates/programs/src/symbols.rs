//! Names and source lines of addresses in a tested program.
//!
//! What is mapped where is read from the process once, when the program has
//! been loaded; the files are opened when something in them is asked for.
//! Where debug information is missing the answers get shorter, not wrong.

use std::cell::OnceCell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use addr2line::Loader;
use burnside_stateless::{Kind, ObjId, Op};
use object::{Object, ObjectKind, ObjectSymbol, SymbolKind};

/// The files a process was made of.
pub struct Symbols {
    modules: Vec<Module>,
}

/// One file, mapped into memory.
struct Module {
    path: PathBuf,
    start: u64,
    end: u64,
    tables: OnceCell<Tables>,
}

#[derive(Default)]
struct Tables {
    /// What to add to an address in the file to get one in memory.
    bias: u64,
    /// Variables and functions by address in memory.
    symbols: Vec<Symbol>,
    /// Debug information, if it can be read.
    lines: Option<Loader>,
}

struct Symbol {
    start: u64,
    n_bytes: u64,
    name: String,
    is_function: bool,
}

/// Where an address in code belongs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The function, or the file name with an offset.
    pub function: String,
    /// File and line, if debug information has them.
    pub place: Option<(String, u32)>,
}

impl Symbols {
    /// The files mapped into process `id`.
    ///
    /// # Errors
    ///
    /// When there is no such process.
    pub fn of_process(id: u32) -> io::Result<Symbols> {
        let maps = fs::read_to_string(format!("/proc/{id}/maps"))?;
        let mut modules: Vec<Module> = Vec::new();
        for (start, end, path) in maps.lines().filter_map(parse_mapping) {
            match modules.last_mut() {
                Some(last) if last.path == path => last.end = end,
                // Zero-initialised data is mapped right behind its file, without a name.
                Some(last) if path.as_os_str().is_empty() && last.end == start => last.end = end,
                _ if path.starts_with("/") => modules.push(Module { path, start, end, tables: OnceCell::new() }),
                _ => {}
            }
        }
        Ok(Symbols { modules })
    }

    /// Address and size of a variable.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<(u64, u64)> {
        self.find(name, false).map(|symbol| (symbol.start, symbol.n_bytes))
    }

    /// Address of a function.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<u64> {
        self.find(name, true).map(|symbol| symbol.start)
    }

    fn find(&self, name: &str, is_function: bool) -> Option<&Symbol> {
        let symbols = self.modules.iter().flat_map(|module| &module.tables().symbols);
        let mut fitting = symbols.filter(|symbol| symbol.is_function == is_function);
        fitting.find(|symbol| symbol.name == name)
    }

    /// What to call an object of this size in a report; the size tells its place in an array.
    #[must_use]
    pub fn object(&self, obj: ObjId, n_bytes: u64) -> String {
        const SYSV: u64 = 1 << 62;
        const DESCRIPTORS: u64 = 1 << 60;
        const ADDRESS_BITS: u32 = 48;
        if obj.creator().is_some() || obj.is_none() {
            return obj.to_string();
        }
        if obj.0 == DESCRIPTORS {
            return "descriptors".to_owned();
        }
        if obj.0 & SYSV != 0 {
            let (set, number) = ((obj.0 & !SYSV) >> 16, obj.0 & 0xffff);
            return if set == 0 { format!("sem[{number}]") } else { format!("sem{set}[{number}]") };
        }
        let (process, address) = (obj.0 >> ADDRESS_BITS, obj.0 & ((1 << ADDRESS_BITS) - 1));
        let name = self.data_name(address, n_bytes);
        if process == 0 { name } else { format!("{name} of process {process}") }
    }

    fn data_name(&self, address: u64, n_bytes: u64) -> String {
        let variable = self.module(address).and_then(|module| module.tables().variable(address));
        let Some(symbol) = variable else { return format!("{address:#x}") };
        let (name, offset) = (readable(&symbol.name), address - symbol.start);
        if symbol.n_bytes >= 2 * n_bytes && offset.is_multiple_of(n_bytes) {
            return format!("{name}[{}]", offset / n_bytes);
        }
        if offset == 0 { name } else { format!("{name}+{offset}") }
    }

    /// What a thread of C++ calls, from what it was given: a function, or an object with a table that is named after it.
    #[must_use]
    pub fn callable(&self, [table, function]: [u64; 2]) -> Option<String> {
        let symbols = |address| self.module(address).map(|module| &module.tables().symbols).into_iter().flatten();
        if let Some(symbol) = symbols(function).find(|symbol| symbol.is_function && symbol.start == function) {
            return Some(readable(&symbol.name));
        }
        let table = readable(&self.module(table)?.tables().variable(table)?.name);
        let (_, called) = table.split_once("_Invoker<std::tuple<")?;
        Some(called.trim_end_matches(")}").trim_end_matches(['>', ' ']).to_owned())
    }

    /// The functions an address in code belongs to, innermost first: more than
    /// one where calls were inlined, none in the library of ours.
    #[must_use]
    pub fn frames(&self, address: u64) -> Vec<Frame> {
        let Some(module) = self.module(address) else {
            return vec![Frame { function: format!("{address:#x}"), place: None }];
        };
        if module.is_ours() {
            return Vec::new();
        }
        let tables = module.tables();
        // A return address lies behind the call: look at the call.
        let in_file = (address - 1).wrapping_sub(tables.bias);
        let inlined = tables.lines.as_ref().map(|lines| frames_in(lines, in_file)).unwrap_or_default();
        if inlined.is_empty() { vec![tables.outer_frame(&module.path, address - 1)] } else { inlined }
    }

    fn module(&self, address: u64) -> Option<&Module> {
        self.modules.iter().find(|module| (module.start..module.end).contains(&address))
    }
}

impl Module {
    /// Is this the library that Burnside put in?
    fn is_ours(&self) -> bool {
        let name = self.path.to_string_lossy();
        name.contains("memfd:burnside") || name.ends_with("libburnside.so")
    }

    fn tables(&self) -> &Tables {
        self.tables.get_or_init(|| {
            if self.is_ours() { Tables::default() } else { Tables::read(&self.path, self.start).unwrap_or_default() }
        })
    }
}

impl Tables {
    fn read(path: &Path, start: u64) -> Option<Tables> {
        let bytes = fs::read(path).ok()?;
        let file = object::File::parse(&*bytes).ok()?;
        let bias = if file.kind() == ObjectKind::Executable { 0 } else { start };
        let mut symbols: Vec<Symbol> = file
            .symbols()
            .chain(file.dynamic_symbols())
            .filter(|symbol| symbol.is_definition() && matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Data))
            .filter_map(|symbol| {
                Some(Symbol {
                    start: symbol.address() + bias,
                    n_bytes: symbol.size(),
                    name: symbol.name().ok()?.to_owned(),
                    is_function: symbol.kind() == SymbolKind::Text,
                })
            })
            .collect();
        symbols.sort_by(|a, b| (a.start, &a.name).cmp(&(b.start, &b.name)));
        symbols.dedup_by(|a, b| a.start == b.start && a.name == b.name);
        Some(Tables { bias, symbols, lines: Loader::new(path).ok() })
    }

    fn variable(&self, address: u64) -> Option<&Symbol> {
        let candidates = self.symbols.iter().filter(|symbol| !symbol.is_function);
        candidates.rev().find(|symbol| (symbol.start..symbol.start + symbol.n_bytes.max(1)).contains(&address))
    }

    fn outer_frame(&self, path: &Path, address: u64) -> Frame {
        let functions = self.symbols.iter().rev().filter(|symbol| symbol.is_function);
        let mut enclosing = functions.filter(|symbol| symbol.start <= address);
        let function = match enclosing.find(|symbol| address < symbol.start + symbol.n_bytes.max(1)) {
            Some(symbol) => symbol.name.clone(),
            None => {
                let file = path.file_name().unwrap_or_default().to_string_lossy();
                format!("{file}+{:#x}", address.wrapping_sub(self.bias))
            }
        };
        Frame { function, place: None }
    }
}

fn frames_in(lines: &Loader, address: u64) -> Vec<Frame> {
    let mut frames = Vec::new();
    let Ok(mut found) = lines.find_frames(address) else { return frames };
    while let Ok(Some(frame)) = found.next() {
        let function = frame.function.as_ref().and_then(|name| Some(name.demangle().ok()?.into_owned()));
        let place = frame.location.and_then(|place| Some((place.file?.to_owned(), place.line?)));
        if let Some(function) = function {
            frames.push(Frame { function, place });
        }
    }
    frames
}

/// A name as it is written in the source, without what the C library appends.
fn readable(name: &str) -> String {
    // Names of C are as they are, though `a` would pass for the code of a type of C++.
    let is_mangled = ["_Z", "__Z", "_R"].iter().any(|prefix| name.starts_with(prefix));
    if is_mangled { addr2line::demangle_auto(name.into(), None).into_owned() } else { name.to_owned() }
}

/// Start, end and path of a mapping; the path is empty or in brackets when it
/// is no file.
fn parse_mapping(line: &str) -> Option<(u64, u64, PathBuf)> {
    let mut fields = line.splitn(6, ' ');
    let (start, end) = fields.next()?.split_once('-')?;
    let path = fields.nth(4).unwrap_or_default().trim_start();
    let number = |digits| u64::from_str_radix(digits, 16).ok();
    Some((number(start)?, number(end)?, PathBuf::from(path)))
}

/// Size of the object an operation acts on, in the C library for 64-bit
/// Linux, or of what it accesses.
pub(crate) fn size_of_object(op: &Op) -> u64 {
    match op.kind {
        Kind::MutexLock | Kind::MutexTryLock | Kind::MutexTimedLock | Kind::MutexUnlock => 40,
        Kind::CondWait | Kind::CondWake | Kind::CondTimedWake | Kind::CondSignal | Kind::CondBroadcast => 48,
        Kind::RwRead
        | Kind::RwTryRead
        | Kind::RwWrite
        | Kind::RwTryWrite
        | Kind::RwReadUnlock
        | Kind::RwWriteUnlock => 56,
        Kind::SemWait | Kind::SemTryWait | Kind::SemPost | Kind::SemValue => 32,
        Kind::BarrierArrive | Kind::BarrierLeave => 32,
        Kind::Read | Kind::Write | Kind::Rmw => op.bytes().count_ones().into(),
        _ => 4,
    }
}
