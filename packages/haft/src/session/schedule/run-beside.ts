import type { FiringEnd, StoredSchedule } from "@haft/service/schedules";
import type { Notice } from "../../app/notice.ts";
import { runSchedules } from "./run-schedules.ts";

/** Runs the schedules of the user while a face is open, and tells the person what comes of them. `model`: in place of theirs. */
export function schedulesBeside(tell: (notice: Notice) => void, model: string | undefined): AsyncDisposable {
  const closing = new AbortController();
  const running = runSchedules({
    ...{ onNotice: () => {}, signal: closing.signal, ...(model === undefined ? {} : { model }) },
    onAsk: (schedule, title) =>
      tell({
        ...about(schedule, `asks: ${title}`),
        severity: "warning",
        cure: "Answer it in another terminal: haft approvals.",
      }),
    onEnd: (schedule, end) => tell(ofEnd(schedule, end)),
  }).catch((thrown: Error) =>
    tell({ ...SOURCE, severity: "warning", message: `Schedules do not run here: ${thrown.message}` }),
  );
  return {
    async [Symbol.asyncDispose]() {
      closing.abort(new DOMException("Haft ends", "AbortError"));
      await running;
    },
  };
}

const SOURCE = { code: "schedule", source: "schedules" } as const;

const about = ({ id, name }: StoredSchedule, what: string) =>
  ({ ...SOURCE, severity: "notice", message: `The schedule ${name ?? id} ${what}` }) as const;

function ofEnd(schedule: StoredSchedule, { status, text = "", open = [] }: FiringEnd): Notice {
  const words = text.replaceAll(/\s+/g, " ").slice(0, 300);
  if (status === "completed") return about(schedule, `has run: ${words || "done."}`);
  const why = open.length > 0 ? `unanswered: ${open.join("; ")}` : words;
  return {
    ...about(schedule, `ended as ${status}: ${why}`),
    ...{ severity: "warning", cure: `haft schedule status ${schedule.id} shows its runs.` },
  };
}
