import type { Standpoint } from "../../place/place.ts";
import { readInto } from "../../place/place-effects.ts";
import { only, text, type Value } from "../../word/value.ts";
import { type Judgement, judgeReader, opaque, type ReaderGrammar } from "../grammar.ts";
import { options } from "../options.ts";
import { looksOfPython } from "../script/python-program.ts";

const shown = (...lines: readonly string[]): ReaderGrammar => ({
  operands: "read",
  most: 1,
  options: options("-h --help", ...lines),
});
const listed: ReaderGrammar = { operands: "none", options: options("-v --verbose -l=< --list=<") };

/** Standard modules that show a file in another form. With a second name json.tool writes. */
const MODULES: ReadonlyMap<string, ReaderGrammar> = new Map(
  Object.entries({
    "json.tool": shown("--sort-keys --no-ensure-ascii --json-lines --indent= --tab --no-indent --compact"),
    ast: shown("-a -i= -m= --mode= --no-type-comments --include-attributes --indent="),
    dis: shown("-CO --show-caches --show-offsets"),
    tokenize: shown("-e --exact"),
    site: { operands: "none", options: options("--user-base --user-site") },
    zipfile: listed,
    tarfile: listed,
  }),
);

/** `python3 -m json.tool`. Python first looks for a module in its start folder: see `STANDARD`. */
export function judgePythonModule([name, ...args]: readonly Value[], at: Standpoint): Judgement {
  const grammar = MODULES.get(only(name) ?? "");
  return grammar === undefined ? opaque("A module runs its program.") : judgeReader(grammar, args, at);
}

/** `python3 -c 'import json; print(json.load(open("a.json"))["b"])'`. It imports from its start folder first, too. */
export function judgePythonProgram([program, ...rest]: readonly Value[], at: Standpoint): Judgement {
  const look = looksOfPython(only(program) ?? "open");
  if (look === undefined || rest.length > 0) return opaque("A program in Python may do anything.");
  const effects: Parameters<typeof readInto>[0] = [];
  for (const name of look.opens) {
    const problem = readInto(effects, text(name === "-" ? "./-" : name), at);
    if (problem !== undefined) return opaque(problem);
  }
  return { effects };
}

/**
 * Modules that standard modules may load. Up to 3.10 `python3 -m` prefers a module of that name in its start folder, so newer modules are
 * not needed: from 3.11 on PYTHONSAFEPATH stops Python from looking there.
 */
export const STANDARD: readonly string[] = (
  "__future__ _abc _aix_support _ast _asyncio _bisect _blake2 _bootlocale _bootsubprocess _bz2 _codecs _codecs_cn " +
  "_codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw _collections _collections_abc _compat_pickle _compression " +
  "_contextvars _crypt _csv _ctypes _curses _curses_panel _datetime _dbm _decimal _dummy_thread _dummy_threading " +
  "_elementtree _frozen_importlib _frozen_importlib_external _functools _gdbm _hashlib _heapq _imp _io _json _locale " +
  "_lsprof _lzma _markupbase _md5 _msi _multibytecodec _multiprocessing _opcode _operator _osx_support _overlapped " +
  "_pickle _posixshmem _posixsubprocess _py_abc _pydecimal _pyio _queue _random _scproxy _sha1 _sha256 _sha3 _sha512 " +
  "_signal _sitebuiltins _socket _sqlite3 _sre _ssl _stat _statistics _string _strptime _struct _symtable _thread " +
  "_threading_local _tkinter _tokenize _tracemalloc _typing _uuid _warnings _weakref _weakrefset _winapi _zoneinfo abc " +
  "aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii binhex bisect bz2 " +
  "cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent configparser " +
  "contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils " +
  "doctest dummy_threading email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch formatter " +
  "fpectl fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html " +
  "http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging " +
  "lzma macpath macurl2path mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc " +
  "nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev parser pathlib pdb pickle pickletools " +
  "pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc " +
  "pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors " +
  "shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants " +
  "sre_parse ssl stat statistics string stringprep struct subprocess sunau symbol symtable sysconfig syslog tabnanny " +
  "tarfile telnetlib tempfile termios textwrap this threading time timeit tkinter token tokenize tomllib trace traceback " +
  "tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref " +
  "webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo"
).split(" ");
