import { importClaude } from "./claude.ts";
import { importCodex } from "./codex/codex.ts";
import { importGemini } from "./gemini/gemini.ts";
import type { Importer } from "./imported.ts";
import { importOpenclaw } from "./openclaw/openclaw.ts";
import { importOpencode } from "./opencode/opencode.ts";
import { importSema } from "./sema.ts";

/** Every peer whose permission settings can be imported. */
export const importers = {
  claude: importClaude,
  gemini: importGemini,
  opencode: importOpencode,
  openclaw: importOpenclaw,
  codex: importCodex,
  sema: importSema,
} as const satisfies Readonly<Record<string, Importer>>;

export type Peer = keyof typeof importers;

/** The peers by name. */
export const peers = Object.keys(importers) as readonly Peer[];
