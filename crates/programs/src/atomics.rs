//! Atomic instructions in a program whose memory accesses are not watched.
//!
//! Threads that meet in atomics are scheduled by nobody: a program with such
//! instructions in functions of its own cannot be said to hold. Functions are
//! taken apart one by one, by the lengths of instructions; those of the C++
//! library that were compiled into the program do not count (what they do inside
//! is the library's business), unless the program calls for an atomic, a
//! semaphore, a latch or a barrier itself.

use std::fs;
use std::path::Path;

use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

/// Where atomics are used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Atomics {
    /// How many instructions or calls.
    pub(crate) n: usize,
    /// The first function with one.
    pub(crate) function: String,
}

/// Functions that come with every program.
const OF_EVERY_PROGRAM: [&str; 5] =
    ["_start", "deregister_tm_clones", "register_tm_clones", "__do_global_dtors_aux", "frame_dummy"];

/// Beginnings of the names of what the C++ library compiles into programs.
const OF_THE_LIBRARY: [&str; 7] = ["_ZNSt", "_ZNKSt", "_ZSt", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "_ZZNSt", "_ZZNKSt"];

/// What follows in the names of functions that are atomics by another name.
const ATOMIC: [&str; 11] = [
    "6atomic",
    "11atomic_flag",
    "10atomic_ref",
    "13__atomic_base",
    "14__atomic_float",
    "12__atomic_ref",
    "18counting_semaphore",
    "18__atomic_semaphore",
    "5latch",
    "7barrier",
    "19atomic_thread_fence",
];

/// The atomics in the program at `path`; `None` if there are none, or it cannot be read.
pub(crate) fn find(path: &Path) -> Option<Atomics> {
    let bytes = fs::read(path).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let section = file.section_by_name(".text")?;
    let (text, base) = (section.data().ok()?, section.address());
    let functions: Vec<(u64, u64, &str)> = file
        .symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0)
        .filter_map(|symbol| Some((symbol.address(), symbol.size(), symbol.name().ok()?)))
        .collect();
    let mut found = Atomics { n: 0, function: String::new() };
    for (start, size, name) in &functions {
        if is_foreign(name) || *start < base {
            continue;
        }
        let code = text.get((start - base) as usize..).map(|rest| &rest[..rest.len().min(*size as usize)]);
        let calls_atomic = |target: u64| functions.iter().any(|(at, _, name)| *at == target && is_atomic(name));
        let n = code.map_or(0, |code| count(code, *start, &calls_atomic));
        if n > 0 && found.n == 0 {
            found.function = (*name).to_owned();
        }
        found.n += n;
    }
    (found.n > 0).then_some(found)
}

fn is_foreign(name: &str) -> bool {
    OF_EVERY_PROGRAM.contains(&name) || OF_THE_LIBRARY.iter().any(|beginning| name.starts_with(beginning))
}

fn is_atomic(name: &str) -> bool {
    let rest = OF_THE_LIBRARY.iter().find_map(|beginning| name.strip_prefix(beginning));
    rest.is_some_and(|rest| ATOMIC.iter().any(|word| rest.starts_with(word)))
}

/// The atomics in `code`, which is at `address`.
fn count(code: &[u8], address: u64, calls_atomic: &dyn Fn(u64) -> bool) -> usize {
    let (mut at, mut n) = (0, 0);
    while let Some(instruction) = Instruction::decode(&code[at..]) {
        let next = address.wrapping_add((at + instruction.length) as u64);
        let calls = instruction.call.is_some_and(|offset| calls_atomic(next.wrapping_add_signed(offset.into())));
        n += usize::from(instruction.is_atomic || calls);
        at += instruction.length;
        if at >= code.len() {
            break;
        }
    }
    n
}

/// As much of an instruction of x86-64 as is needed here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Instruction {
    length: usize,
    /// It has the prefix `lock`, or exchanges with memory.
    is_atomic: bool,
    /// It calls what is this far behind it.
    call: Option<i32>,
}

/// What follows an opcode.
struct Form {
    modrm: bool,
    /// Bytes of immediate operand.
    immediate: usize,
}

impl Instruction {
    /// The first instruction in `code`; `None` if there is none that is known.
    fn decode(code: &[u8]) -> Option<Instruction> {
        let mut at = 0;
        let (mut locked, mut short) = (false, false);
        while let Some(byte) = code.get(at) {
            match byte {
                0xf0 => locked = true,
                0x66 => short = true,
                0xf2 | 0xf3 | 0x67 | 0x2e | 0x36 | 0x3e | 0x26 | 0x64 | 0x65 => {}
                _ => break,
            }
            at += 1;
        }
        let rex = code.get(at).copied().filter(|byte| byte & 0xf0 == 0x40);
        at += usize::from(rex.is_some());
        let wide = rex.is_some_and(|rex| rex & 8 != 0);
        let opcode = *code.get(at)?;
        at += 1;
        let (form, exchanges) = match opcode {
            0xc4 | 0xc5 | 0x62 => (vector(code, opcode, &mut at)?, false),
            0x0f => (two_bytes(code, &mut at)?, false),
            _ => (one_byte(opcode, code.get(at).copied(), short, wide)?, matches!(opcode, 0x86 | 0x87)),
        };
        let mut in_memory = false;
        if form.modrm {
            let modrm = *code.get(at)?;
            in_memory = modrm >> 6 != 3;
            at += operand(code, at)?;
        }
        at += form.immediate;
        let call = match opcode {
            0xe8 => Some(i32::from_le_bytes(code.get(at - 4..at)?.try_into().ok()?)),
            _ => None,
        };
        (at <= code.len()).then_some(Instruction { length: at, is_atomic: locked || (exchanges && in_memory), call })
    }
}

/// Bytes of the operand that begins with a ModRM byte at `at`.
fn operand(code: &[u8], at: usize) -> Option<usize> {
    let modrm = *code.get(at)?;
    let (kind, base) = (modrm >> 6, modrm & 7);
    if kind == 3 {
        return Some(1);
    }
    let has_index = base == 4;
    let base = if has_index { *code.get(at + 1)? & 7 } else { base };
    let displacement = match kind {
        0 if base == 5 => 4,
        0 => 0,
        1 => 1,
        _ => 4,
    };
    Some(1 + usize::from(has_index) + displacement)
}

fn one_byte(opcode: u8, modrm: Option<u8>, short: bool, wide: bool) -> Option<Form> {
    let word = if short { 2 } else { 4 };
    let form = |modrm, immediate| Some(Form { modrm, immediate });
    match opcode {
        0x00..=0x3f => match opcode & 7 {
            0..=3 => form(true, 0),
            4 => form(false, 1),
            5 => form(false, word),
            _ => None,
        },
        0x50..=0x5f | 0x6c..=0x6f | 0x90..=0x99 | 0x9b..=0x9f | 0xa4..=0xa7 | 0xaa..=0xaf => form(false, 0),
        0xc3 | 0xc9 | 0xcb | 0xcc | 0xcf | 0xd7 | 0xec..=0xef | 0xf1 | 0xf4 | 0xf5 | 0xf8..=0xfd => form(false, 0),
        0x63 | 0x84..=0x8f | 0xd0..=0xd3 | 0xd8..=0xdf | 0xfe | 0xff => form(true, 0),
        0x69 | 0x81 | 0xc7 => form(true, word),
        0x6b | 0x80 | 0x83 | 0xc0 | 0xc1 | 0xc6 => form(true, 1),
        0x68 | 0xa9 => form(false, word),
        0x6a | 0x70..=0x7f | 0xa8 | 0xb0..=0xb7 | 0xcd | 0xe0..=0xe7 | 0xeb => form(false, 1),
        0xa0..=0xa3 => form(false, 8),
        0xb8..=0xbf => form(false, if wide { 8 } else { word }),
        0xc2 | 0xca => form(false, 2),
        0xc8 => form(false, 3),
        0xe8 | 0xe9 => form(false, 4),
        0xf6 | 0xf7 => {
            let tests = modrm? >> 3 & 7 < 2;
            let immediate = if opcode == 0xf6 { 1 } else { word };
            form(true, if tests { immediate } else { 0 })
        }
        _ => None,
    }
}

fn two_bytes(code: &[u8], at: &mut usize) -> Option<Form> {
    let opcode = *code.get(*at)?;
    *at += 1;
    let form = |modrm, immediate| Some(Form { modrm, immediate });
    match opcode {
        0x38 => {
            *at += 1;
            form(true, 0)
        }
        0x3a => {
            *at += 1;
            form(true, 1)
        }
        0x05..=0x09 | 0x0b | 0x30..=0x35 | 0x77 | 0xa0..=0xa2 | 0xa8..=0xaa | 0xc8..=0xcf => form(false, 0),
        0x80..=0x8f => form(false, 4),
        0x70..=0x73 | 0xa4 | 0xac | 0xba | 0xc2 | 0xc4..=0xc6 => form(true, 1),
        _ => form(true, 0),
    }
}

/// Instructions with a VEX or EVEX prefix.
fn vector(code: &[u8], prefix: u8, at: &mut usize) -> Option<Form> {
    let map = match prefix {
        0xc5 => 1,
        0xc4 => *code.get(*at)? & 0x1f,
        _ => *code.get(*at)? & 7,
    };
    *at += match prefix {
        0xc5 => 1,
        0xc4 => 2,
        _ => 3,
    };
    let opcode = *code.get(*at)?;
    *at += 1;
    let immediate = map == 3 || (map == 1 && matches!(opcode, 0x70..=0x73 | 0xc2 | 0xc4..=0xc6));
    Some(Form { modrm: !(map == 1 && opcode == 0x77), immediate: usize::from(immediate) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(code: &[u8]) -> Vec<usize> {
        let mut at = 0;
        let mut found = Vec::new();
        while let Some(instruction) = Instruction::decode(&code[at..]) {
            found.push(instruction.length);
            at += instruction.length;
            if at == code.len() {
                break;
            }
        }
        found
    }

    #[test]
    fn instructions_have_the_lengths_the_processor_gives_them() {
        let code = [
            &[0x55][..],                                       // push rbp
            &[0x48, 0x89, 0xe5],                               // mov rbp, rsp
            &[0x48, 0x83, 0xec, 0x10],                         // sub rsp, 16
            &[0x8b, 0x45, 0xf0],                               // mov eax, [rbp - 16]
            &[0x83, 0x05, 0, 0, 0, 0, 1],                      // add dword [rip], 1
            &[0xc7, 0x45, 0xfc, 0, 0, 0, 0],                   // mov dword [rbp - 4], 0
            &[0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8],             // mov rax, imm64
            &[0x0f, 0x84, 0, 0, 0, 0],                         // je
            &[0x66, 0x0f, 0x6f, 0x44, 0x24, 0x08],             // movdqa xmm0, [rsp + 8]
            &[0xf6, 0x45, 0xff, 0x01],                         // test byte [rbp - 1], 1
            &[0xf7, 0xd8],                                     // neg eax
            &[0xc5, 0xf8, 0x77],                               // vzeroupper
            &[0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0, 0, 0, 0], // a long nop
            &[0xc3],                                           // ret
        ];
        let expected: Vec<usize> = code.iter().map(|bytes| bytes.len()).collect();
        assert_eq!(lengths(&code.concat()), expected);
    }

    #[test]
    fn atomic_instructions_are_told_from_the_same_bytes_elsewhere() {
        let atomic = |code: &[u8]| count(code, 0, &|_| false);
        assert_eq!(atomic(&[0xf0, 0x83, 0x05, 0, 0, 0, 0, 1]), 1, "lock add");
        assert_eq!(atomic(&[0xf0, 0x48, 0x0f, 0xb1, 0x0a]), 1, "lock cmpxchg");
        assert_eq!(atomic(&[0x87, 0x05, 0, 0, 0, 0]), 1, "xchg with memory");
        assert_eq!(atomic(&[0x87, 0xc1]), 0, "xchg of registers");
        assert_eq!(atomic(&[0x8b, 0x45, 0xf0, 0x83, 0x05, 0, 0, 0, 0, 1]), 0, "f0 is a displacement");
        let call = [0xe8, 0x0b, 0, 0, 0];
        assert_eq!(count(&call, 0x100, &|target| target == 0x110), 1, "a call of an atomic");
    }
}
