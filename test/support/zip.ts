import { crc32, deflateRawSync } from "node:zlib";

/** One entry of a zip archive. Absent fields are those of a plain file. */
export interface ZipEntry {
  readonly name: string;
  readonly content?: string;
  /** The mode of Unix with the kind of file. */
  readonly mode?: number;
  readonly flags?: number;
  readonly method?: 0 | 8 | 99;
  /** The size that the list claims. */
  readonly size?: number;
}

/** A zip archive as other programs write it. */
export function zipOf(entries: readonly ZipEntry[], comment = ""): Buffer {
  const bodies: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const { name, content = "", mode = 0o100644, flags = 0x800, method = 8, size } of entries) {
    const plain = Buffer.from(content);
    const packed = method === 0 ? plain : deflateRawSync(plain);
    const path = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc32(plain), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(size ?? plain.length, 18);
    common.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), common, path, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(at, 10);
    list.push(Buffer.concat([Buffer.from("PK\u0001\u0002"), Buffer.from([20, 3]), common, rest, path]));
    bodies.push(local);
    at += local.length;
  }
  const listed = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", 0, "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(Buffer.byteLength(comment), 20);
  return Buffer.concat([...bodies, listed, end, Buffer.from(comment)]);
}

/** A zip archive of files by path. */
export const zipOfFiles = (files: Readonly<Record<string, string>>): Buffer =>
  zipOf(Object.entries(files).map(([name, content]) => ({ name, content })));
