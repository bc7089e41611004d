import type { Changer } from "./change.ts";

const OUTPUT: Changer = { options: "-o=> --output=> --out=> --outfile=> --output-file=>" };
/** A compiler: the text of `-o` is its output file. */
const COMPILER: Changer = {
  options: "-o=> -MF=> -MT= -I= -L= -l= -D= -U= -x= -include= -isystem= --output=>",
};
const FORMATTER: Changer = { options: "-o=> --output-file=> --config= -c= -p=", operands: "all", tree: true };
/** `> "FILE"` and `| "tee FILE"` in a program of awk. */
const AWK_FILE = />>?\s*"([^"]+)"/g;
/** `w FILE` as a command of sed, or after `s///`. */
const SED_FILE = /(?:^|[\s;{}/|,#!\d$])[gpIiMme\d]*[wW]\s+([^\s;}][^\n;}]*)/g;
/** `:w FILE` and similar. */
const EDITOR_FILE = /(?:^|[\s|:+])(?:w(?:rite)?|sav(?:eas)?|wq|x|up(?:date)?)!?\s+(?:>>\s*)?([^\s|!]+)/g;
const EDITOR: Changer = { options: "-c= --cmd= -S= -u= -o= -p= -i= -T=", operands: "all", mentions: EDITOR_FILE };
const AWK: Changer = { options: "-F= -v= -f= -i= -e= -E= -o=> -p=> -d=>", mentions: AWK_FILE };
const IN_PLACE: Changer = {
  options: "-e= -E= -I= -M= -m= -F= -C= -0[=] -l[=] -x[=] -i[=] -r=",
  operands: "all",
  leading: true,
  leadingUnless: ["-e", "-E"],
  when: ["-i"],
};
const SED: Changer = {
  options: "-e= -f= -l= -i[=] -I= --expression= --file= --in-place[=] --line-length=",
  operands: "all",
  leading: true,
  leadingUnless: ["-e", "-f", "--expression", "--file"],
  when: ["-i", "-I", "--in-place"],
  mentions: SED_FILE,
};

/** `gawk -i inplace PROGRAM FILE`. */
const GAWK: Changer = {
  options: "-i= -F= -v= -f= --include= --field-separator= --assign= --file=",
  operands: "all",
  leading: true,
  leadingUnless: ["-f", "--file"],
  when: ["-i", "--include"],
};

/** Programs that write their result to a file: filters, editors, compilers, fetchers. */
export const textChangers: Readonly<Record<string, readonly Changer[]>> = {
  sort: [
    {
      options:
        "-o=> -k= -t= -S= -T= --output=> --key= --field-separator= --buffer-size= --temporary-directory= --parallel= --files0-from= --compress-program= --random-source= --batch-size= --sort=",
    },
  ],
  shuf: [{ options: "-o=> -i= -n= --output=> --input-range= --head-count= --random-source=" }],
  uniq: [{ options: "-f= -s= -w= --skip-fields= --skip-chars= --check-chars=", operands: "second", change: "replace" }],
  sed: [SED],
  gsed: [SED],
  awk: [AWK, GAWK],
  gawk: [AWK, GAWK],
  mawk: [AWK],
  nawk: [AWK],
  perl: [IN_PLACE],
  ruby: [IN_PLACE],
  ed: [{ ...EDITOR, options: "-p= --prompt=" }],
  red: [{ ...EDITOR, options: "-p= --prompt=" }],
  ex: [EDITOR],
  vi: [EDITOR],
  vim: [EDITOR],
  nvim: [EDITOR],
  view: [EDITOR],
  nano: [{ operands: "all" }],
  emacs: [{ options: "-l= -f= --load= --eval= --funcall=", operands: "all" }],
  yq: [{ options: "-i -p= -o= -I=", operands: "all", leading: true, when: ["-i", "--inplace", "--in-place"] }],
  xxd: [{ options: "-c= -g= -l= -n= -o= -s= -R=", operands: "second", change: "replace" }],
  iconv: [{ options: "-f= -t= -o=> --from-code= --to-code= --output=>" }],
  tree: [{ options: "-o=> -L= -P= -I= -H= -T= --filelimit= --charset= --fromfile=" }],
  sdiff: [OUTPUT],
  dos2unix: [{ operands: "all" }],
  unix2dos: [{ operands: "all" }],
  script: [
    {
      options:
        "-c= -I=> -O=> -B=> -T=> -E= -m= -o= -t[=] --command= --log-in=> --log-out=> --log-io=> --log-timing=> --timing[=]",
      operands: "first",
      change: "replace",
    },
  ],
  strace: [{ options: "-o=> -e= -p= -s= -u= -E= -a= -I= -O= -P= -S= -X= --output=>", strict: true }],
  ltrace: [{ options: "-o=> -e= -p= -s= -u= -n= --output=>", strict: true }],
  time: [{ options: "-o=> -f= --output=> --format=", strict: true }],
  perf: [{ options: "-o=> --output=> -e= -F= -p=" }],
  valgrind: [
    {
      options: "--log-file=> --xml-file=> --callgrind-out-file=> --massif-out-file=> --cachegrind-out-file=>",
      strict: true,
    },
  ],
  curl: [
    {
      options:
        "-o=> -O -D=> -c=> -K= -H= -d= -F= -X= -u= -A= -e= -b= -T= -m= -x= -w= -r= -E= -C= -U= -y= -Y= -z= -P= -t= -Q= --output=> --output-dir=>> --remote-name --remote-name-all --dump-header=> --cookie-jar=> --trace=> --trace-ascii=> --stderr=> --libcurl=> --hsts=> --alt-svc=> --etag-save=> --header= --data= --data-raw= --data-binary= --request= --user= --user-agent= --url= --proxy= --form= --max-time= --write-out=",
      fetches: { with: ["-O", "--remote-name", "--remote-name-all"] },
    },
  ],
  wget: [
    {
      options:
        "-O=> -P=>> -o=> -a=> -t= -T= -U= -e= -i= -A= -R= -l= -Q= -w= --output-document=> --directory-prefix=>> --output-file=> --append-output=> --save-cookies=> --rejected-log=> --warc-file=> --hsts-file=> --header= --user= --password= --post-data= --user-agent= --tries= --timeout=",
      fetches: { unless: ["-O", "--output-document", "--spider"] },
    },
  ],
  sqlite3: [
    {
      options: "-cmd= -init= -separator= -newline= -nullvalue= -vfs= -mmap=",
      operands: "first",
      unless: ["-readonly", "--readonly"],
    },
  ],
  openssl: [
    { options: "-out=> -keyout=> -writerand=> -CAserial=> -in= -inkey= -passin= -passout= -days= -subj= -config=" },
  ],
  "ssh-keygen": [{ options: "-f=> -t= -b= -C= -N= -P= -m=" }],
  gpg: [{ options: "-o=> -r= -u= --output=> --recipient= --local-user= --homedir= --passphrase=" }],
  age: [{ options: "-o=> -r= -i= -R= --output=> --recipient= --identity=" }],
  ffmpeg: [{ options: "-i= -f= -c= -vf= -af= -ss= -to= -t=", operands: "last", change: "replace" }],
  convert: [{ operands: "last", change: "replace" }],
  magick: [{ operands: "last", change: "replace" }],
  mogrify: [{ options: "-path=>> -resize= -quality= -format= -crop= -rotate=", operands: "all" }],
  pandoc: [OUTPUT],
  dot: [OUTPUT],
  gcc: [COMPILER],
  cc: [COMPILER],
  "g++": [COMPILER],
  "c++": [COMPILER],
  clang: [COMPILER],
  "clang++": [COMPILER],
  ld: [COMPILER],
  as: [COMPILER],
  strip: [{ options: "-o=> -K= -N= -R= -O= -I= -F=", operands: "all" }],
  objcopy: [{ options: "-I= -O= -B= -j= -R=", operands: "last" }],
  rustc: [{ options: "-o=> --out-dir=>> --crate-type= --crate-name= --edition= --emit= -C= -L= -l=" }],
  go: [{ options: "-o=> -coverprofile=> -cpuprofile=> -memprofile=> -C=" }],
  javac: [{ options: "-d=>> -s=>> -h=>> -cp= -classpath= --class-path=" }],
  cmake: [{ options: "-B=>> -S= -D= -G= --build=>> --prefix=>> --install=>>" }],
  protoc: [
    {
      options:
        "--js_out=>> --ts_out=>> --python_out=>> --go_out=>> --java_out=>> --cpp_out=>> --descriptor_set_out=> -o=> -I=",
    },
  ],
  cargo: [{ options: "--target-dir=>> --out-dir=>> --artifact-dir=>>" }],
  pip: [{ options: "-t=>> -d=>> --target=>> --dest=>> --prefix=>> --root=>> --report=> --log=>" }],
  pip3: [{ options: "-t=>> -d=>> --target=>> --dest=>> --prefix=>> --root=>> --report=> --log=>" }],
  tsc: [
    {
      options:
        "--outDir=>> --outdir=>> --declarationDir=>> --outFile=> --outfile=> --tsBuildInfoFile=> --generateTrace=>> -p= --project=",
    },
  ],
  esbuild: [{ options: "--outdir=>> --outfile=> --metafile=>" }],
  babel: [{ options: "-o=> -d=>> --out-file=> --out-dir=>>" }],
  webpack: [{ options: "-o=>> --output-path=>> -c= --config=" }],
  rollup: [{ options: "-o=> -d=>> --file=> --dir=>> -c= --config=" }],
  vite: [{ options: "--outDir=>>" }],
  swc: [{ options: "-o=> -d=>> --out-file=> --out-dir=>>" }],
  prettier: [{ ...FORMATTER, when: ["-w", "--write"] }],
  eslint: [
    { options: "-o=> --output-file=> --cache-location=> -c= --config= --ext= -f= --format=" },
    { options: "-c= --config= --ext= -f= --format= -o= --output-file=", operands: "all", tree: true, when: ["--fix"] },
  ],
  gofmt: [{ ...FORMATTER, when: ["-w"] }],
  goimports: [{ ...FORMATTER, when: ["-w"] }],
  "clang-format": [{ ...FORMATTER, when: ["-i"] }],
  rustfmt: [{ ...FORMATTER, unless: ["--check"] }],
  black: [{ ...FORMATTER, unless: ["--check", "--diff"] }],
  isort: [{ ...FORMATTER, unless: ["--check", "--check-only", "--diff", "-c"] }],
};
