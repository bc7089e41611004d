import type { Changer } from "./change.ts";

const MODE = /^([ugoa]*[-+=][rwxXstugo]*|[0-7]{3,5})(,|$)/;
const INTO = "-t=>> -S= -m= -o= -g= --target-directory=>> --suffix= --mode= --owner= --group= --strip-program=";
const PACKING: Changer = {
  options: "-S= --suffix= -T= --threads= -b= -o=> --output=> --output-dir=>>",
  operands: "all",
  tree: ["-r", "--recursive"],
  unless: ["-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test"],
};
const gzip: Changer = { ...PACKING, ending: ".gz" };
const xz: Changer = { ...PACKING, ending: ".xz" };
const zstd: Changer = { ...PACKING, ending: ".zst" };
const bzip2: Changer = { ...PACKING, ending: ".bz2" };

/** Programs for file management: they create, change, move and remove files. */
export const fileChangers: Readonly<Record<string, readonly Changer[]>> = {
  truncate: [{ options: "-s= -r= --size= --reference=", operands: "all" }],
  fallocate: [{ options: "-l= -o= --length= --offset=", operands: "all" }],
  shred: [{ options: "-n= -s= --iterations= --size= --random-source=", operands: "all" }],
  tee: [{ operands: "all" }],
  sponge: [{ operands: "all", change: "replace" }],
  touch: [{ options: "-d= -t= -r= --date= --time= --reference=", operands: "all" }],
  mkdir: [{ options: "-m= --mode= --context=", operands: "all", change: "create" }],
  rmdir: [{ operands: "all", change: "delete" }],
  rm: [{ operands: "all", change: "delete", tree: ["-r", "-R", "--recursive"] }],
  unlink: [{ operands: "all", change: "delete" }],
  mkfifo: [{ options: "-m= --mode=", operands: "all", change: "create" }],
  mknod: [{ options: "-m= --mode=", operands: "first", change: "create" }],
  mktemp: [{ options: "-p=>> --tmpdir=>> --suffix=", operands: "all", change: "create" }],
  chmod: [
    {
      options: "--reference=",
      operands: "all",
      leading: MODE,
      leadingUnless: ["--reference"],
      tree: ["-R", "--recursive"],
    },
  ],
  chattr: [{ options: "-v= -p=", operands: "all", leading: /^[-+=]/, tree: ["-R"] }],
  chown: [
    {
      options: "--reference= --from=",
      operands: "all",
      leading: true,
      leadingUnless: ["--reference"],
      tree: ["-R", "--recursive"],
    },
  ],
  chgrp: [
    {
      options: "--reference=",
      operands: "all",
      leading: true,
      leadingUnless: ["--reference"],
      tree: ["-R", "--recursive"],
    },
  ],
  setfacl: [
    {
      options: "-m= -x= -M= -X= --modify= --remove= --modify-file= --remove-file= --set= --restore=",
      operands: "all",
      tree: ["-R", "--recursive"],
    },
  ],
  dd: [{ assigned: "of=" }],
  cp: [{ options: INTO, operands: "into" }],
  install: [
    { options: INTO, operands: "into", unless: ["-d", "--directory"] },
    { options: INTO, operands: "all", change: "create", when: ["-d", "--directory"] },
  ],
  mv: [{ options: INTO, operands: "into", sources: "gone" }],
  ln: [{ options: INTO, operands: "into", sources: "named" }],
  link: [{ operands: "into", sources: "named" }],
  rename: [{ operands: "all", leading: true, unless: ["-n", "--nono"] }],
  gzip: [gzip],
  gunzip: [gzip],
  pigz: [gzip],
  bzip2: [bzip2],
  bunzip2: [bzip2],
  xz: [xz],
  unxz: [xz],
  lzma: [{ ...PACKING, ending: ".lzma" }],
  unlzma: [{ ...PACKING, ending: ".lzma" }],
  zstd: [zstd],
  unzstd: [zstd],
  lz4: [{ ...PACKING, ending: ".lz4" }],
  compress: [{ ...PACKING, ending: ".Z" }],
  zip: [{ options: "-b= -t= -x= -i= -O=> --output-file=>", operands: "first", change: "replace", packs: true }],
  unzip: [{ options: "-d=>> -x= -P=", folder: "always", unless: ["-l", "-t", "-v", "-Z", "-p", "-c"] }],
  "7z": [
    { options: "-o=>> -p= -w=>>", operands: "second", when: ["-o"] },
    { operands: "second", change: "replace" },
  ],
  cpio: [
    { options: "-D=>> --directory=>> -F= --file= -O=> -H=", when: ["-i", "--extract"], folder: "always" },
    { options: "-D=>> -O=> -F=> -H=", operands: "last", tree: true, when: ["-p", "-o"] },
  ],
  ar: [{ operands: "second", change: "replace" }],
  rsync: [
    {
      options:
        "-e= -T=>> -f= -M= -B= --rsh= --temp-dir=>> --backup-dir=>> --log-file=> --write-batch=> --only-write-batch=> --include= --exclude= --filter= --files-from= --rsync-path= --partial-dir=>> --suffix= --out-format= --chmod= --chown=",
      operands: "last",
      change: "create",
      tree: true,
    },
  ],
  scp: [{ options: "-i= -P= -o= -F= -J= -c= -l= -S=", operands: "last", change: "create", tree: true }],
  patch: [
    {
      options:
        "-o=> -d=>> -i= -p= -D= -B= -F= -V= -Y= -z= -r=> --output=> --directory=>> --input= --strip= --reject-file=>",
      operands: "first",
      folder: "alone",
      unless: ["--dry-run"],
    },
  ],
  split: [
    {
      options:
        "-a= -b= -C= -l= -n= -t= --suffix-length= --additional-suffix= --bytes= --line-bytes= --lines= --number= --separator= --filter=",
      series: { options: [], operand: 1, name: "x", first: "aa" },
    },
  ],
  csplit: [
    {
      options: "-b= -f= -n= --prefix= --suffix-format= --digits=",
      series: { options: ["-f", "--prefix"], name: "xx", first: "00" },
    },
  ],
};
