/** @module Files in more detail than the port gives: attributes, encodings, temporary names. */
export { type Attributes, readAttributes, UNREADABLE, writeAttributes } from "../files/attributes/attributes.ts";
export { encode } from "../files/encoding.ts";
export { hasOpenPaths } from "../files/open.ts";
export { type ResidentProgram, residentProgram } from "../files/resident-program.ts";
export { temporaryBegin } from "../files/write.ts";
