import { fail, type SessionInfo } from "@haft/core/tool";
import { needs } from "./needs.ts";

export const needsSessions = needs("sessions", "this session is not registered with others");

export const sessionField = {
  type: "string",
  minLength: 1,
  maxLength: 64,
  description: "The id of a session, from sessions_list.",
} as const;

/** One session as a line for the model. */
export const sessionLine = ({ id, label, kind, folder, status, activeAt, parent }: SessionInfo, own: string): string =>
  [
    `${id}${id === own ? " (this one)" : ""}${label === undefined ? "" : ` "${label}"`}`,
    kind,
    status,
    `active ${activeAt.slice(0, 16).replace("T", " ")}`,
    ...(parent === undefined ? [] : [`started by ${parent}`]),
    folder,
  ].join(", ");

/** A label as one short line. */
export const labelOf = (label: string): string =>
  label.replace(/\s+/g, " ").trim().slice(0, 80) || fail("invalid_input", "The label is empty.", "Leave it out.");
