import { HaftError } from "@haft/core/tool";

/** Haft cannot be made from these settings or options. */
export const invalidSetup = (message: string): HaftError => new HaftError({ code: "validation_failed", message });
