import { headsOf, type Value } from "../word/value.ts";
import type { ReaderGrammar } from "./grammar.ts";
import { options, wholeOptions } from "./options.ts";

const HELP = "--help --version";
/** Whether a word, or one that it expands to, begins with `@`. */
const mayBeList = (value: Value): boolean => headsOf(value).some((head) => head === "" || head.startsWith("@"));
const digest: ReaderGrammar = {
  operands: "read",
  harmless: true,
  // With -c the sums name other files, anywhere: not supported here.
  options: options("-btz --binary --text --tag --zero", HELP),
};

/** Programs that convert text to text. Options take their GNU arguments; options that write are not listed. */
export const textReaders: Readonly<Record<string, ReaderGrammar>> = {
  cat: {
    operands: "read",
    harmless: true,
    options: options("-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs", HELP),
  },
  head: {
    operands: "read",
    harmless: true,
    options: options("-qvz -n= -c= -# --lines= --bytes= --quiet --silent --verbose --zero-terminated", HELP),
  },
  tail: {
    operands: "read",
    harmless: true,
    options: options(
      "-qvzfF -n= -c= -s= -# --lines= --bytes= --quiet --silent --verbose --zero-terminated --follow[=] --retry --pid=",
      HELP,
    ),
  },
  wc: {
    operands: "read",
    harmless: true,
    options: options("-clmLw --bytes --chars --lines --words --max-line-length", HELP),
  },
  nl: {
    operands: "read",
    harmless: true,
    options: options("-p -b= -d= -f= -h= -i= -l= -n= -s= -v= -w= --body-numbering=", HELP),
  },
  tac: { operands: "read", harmless: true, options: options("-br -s= --before --regex --separator=", HELP) },
  rev: { operands: "read", harmless: true, options: options(HELP) },
  fold: { operands: "read", harmless: true, options: options("-bs -w= -# --bytes --spaces --width=", HELP) },
  // Except in GNU fmt, -p takes no text.
  fmt: { operands: "read", harmless: true, options: options("-cstu -w= -g= -# --width= --prefix=", HELP) },
  pr: {
    operands: "read",
    harmless: true,
    options: options(
      "-adFfJmrTtv -# -h= -l= -o= -w= -W= -N= -n[=] -e[=] -i[=] -s[=] -S[=] --omit-header --across --merge",
      HELP,
    ),
  },
  basenc: {
    operands: "read",
    harmless: true,
    most: 1,
    options: options("-di -w= --decode --base64 --base64url --base32 --base32hex --base16 --z85 --wrap=", HELP),
  },
  look: {
    operands: "read",
    leading: 1,
    harmless: true,
    options: options("-adf -t= --alternative --alphanum --ignore-case"),
  },
  diff3: { operands: "read", least: 3, most: 3, options: options("-AaeEimTxX3 --text --merge --show-all -L=", HELP) },
  expand: { operands: "read", harmless: true, options: options("-i -t= -# --initial --tabs=", HELP) },
  unexpand: { operands: "read", harmless: true, options: options("-a -t= --all --first-only --tabs=", HELP) },
  cut: {
    operands: "read",
    harmless: true,
    options: options(
      "-nsz -b= -c= -d= -f= --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter=",
      "--zero-terminated",
      HELP,
    ),
  },
  paste: {
    operands: "read",
    harmless: true,
    options: options("-sz -d= --delimiters= --serial --zero-terminated", HELP),
  },
  join: {
    operands: "read",
    harmless: true,
    options: options("-iz -a= -e= -j= -o= -t= -v= -1= -2= --ignore-case --check-order --nocheck-order --header", HELP),
  },
  comm: {
    operands: "read",
    harmless: true,
    options: options("-123z --check-order --nocheck-order --output-delimiter= --total --zero-terminated", HELP),
  },
  tr: {
    blind: true,
    operands: "text",
    options: options("-cCdst --complement --delete --squeeze-repeats --truncate-set1", HELP),
  },
  // Its second operand is written.
  uniq: {
    operands: "read",
    most: 1,
    options: options(
      "-cdDiuz -f= -s= -w= --count --repeated --all-repeated[=] --skip-fields= --group[=] --ignore-case --skip-chars=",
      "--unique --zero-terminated --check-chars=",
      HELP,
    ),
  },
  // -o writes, --compress-program runs, -T sets the folder for temporary files, so they are not listed.
  sort: {
    operands: "read",
    options: options(
      "-bcCdfghiMmnRrsuVz -k= -S= -t= --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort",
      "--human-numeric-sort --ignore-nonprinting --month-sort --numeric-sort --random-sort --reverse --sort= --version-sort",
      "--check[=] --debug --key= --merge --stable --buffer-size= --field-separator= --parallel= --unique --zero-terminated",
      HELP,
    ),
  },
  tsort: { operands: "read", harmless: true, options: options(HELP) },
  shuf: {
    operands: "read",
    options: options("-erz -n= -i= --echo --repeat --zero-terminated --head-count=", HELP),
  },
  column: {
    operands: "read",
    harmless: true,
    // Not -n: versions differ in whether it takes a text.
    options: options(
      "-texLJd -s= -o= -c= -N= -R= -T= -H= -O= --table --separator= --output-separator= --output-width=",
      "--json --table-columns= --table-name= --table-right= --table-truncate= --table-hide= --table-order= --table-wrap= --fillrows",
      "--table-noheadings --table-noextreme= --table-empty-lines --table-header-repeat",
    ),
  },
  col: { operands: "none", options: options("-bfhpx -l=") },
  diff: {
    operands: "read",
    harmless: true,
    treeWith: ["-r", "--recursive"],
    options: options(
      "-abBcdeEiNnpqrstTuwyZ -C= -U= -F= -I= -L= -W= -x= -X=< -S= --normal --brief --report-identical-files --context[=]",
      "--unified[=] --ed --rcs --side-by-side --width= --left-column --suppress-common-lines --show-c-function --text",
      "--show-function-line= --label= --expand-tabs --initial-tab --tabsize= --recursive --new-file --exclude= --minimal",
      "--unidirectional-new-file --ignore-case --ignore-file-name-case --ignore-tab-expansion --ignore-trailing-space",
      "--ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --strip-trailing-cr --color[=]",
      "--no-dereference --starting-file= --speed-large-files --exclude-from=< --from-file=< --to-file=<",
      "--line-format= --old-line-format= --new-line-format= --unchanged-line-format= --old-group-format= --new-group-format=",
      "--changed-group-format= --unchanged-group-format=",
      HELP,
    ),
  },
  cmp: {
    operands: "read",
    harmless: true,
    most: 4,
    options: options("-bls -i= -n= --print-bytes --bytes= --verbose --quiet --silent", HELP),
  },
  // Except in the GNU versions, these two write with -o.
  base64: {
    operands: "read",
    most: 1,
    options: options("-di -w= --decode --ignore-garbage --wrap=", HELP),
  },
  base32: { operands: "read", most: 1, options: options("-di -w= --decode --wrap=", HELP) },
  od: {
    operands: "read",
    harmless: true,
    options: options(
      "-abcdfilosxv -A= -j= -N= -S= -t= -w[=] --address-radix= --skip-bytes= --read-bytes= --format=",
      HELP,
    ),
  },
  hexdump: {
    operands: "read",
    harmless: true,
    options: options("-bcCdoxv -e= -n= -s= -L[=] --canonical --length= --skip=", HELP),
  },
  hd: { operands: "read", harmless: true, options: options("-v -n= -s=", HELP) },
  // Its second operand is written, and so is the result of -r unless it is standard output.
  xxd: {
    operands: "read",
    most: 1,
    // It reads the word after the first operand as the second one, even an option. For `-pc` it reads the first letter only.
    strict: true,
    gluing: true,
    options: wholeOptions("-a -b -bits -C -e -E -i -p -ps -plain -r -u -v -c= -cols= -g= -l= -len= -o= -s= -n="),
  },
  strings: {
    operands: "read",
    harmless: true,
    options: options("-aw -n= -t= -e= -o -# --all --bytes= --radix= --encoding=", HELP),
    refuse: ({ operands, given }) =>
      [...operands, ...given.flatMap(({ value }) => value ?? [])].some(mayBeList)
        ? "It reads further arguments from a file named @."
        : undefined,
  },
  md5sum: digest,
  sha1sum: digest,
  sha224sum: digest,
  sha256sum: digest,
  sha384sum: digest,
  sha512sum: digest,
  b2sum: { ...digest, options: options("-btz -l= --binary --text --tag --zero --length=", HELP) },
  cksum: {
    ...digest,
    options: options("-z -a= -l= --algorithm= --length= --base64 --raw --tag --untagged --zero", HELP),
  },
  sum: { operands: "read", harmless: true, options: options("-rs", HELP) },
  shasum: { operands: "read", harmless: true, options: options("-bt -a= --algorithm=", HELP) },
  md5: { operands: "read", harmless: true, options: options("-qr") },
};
