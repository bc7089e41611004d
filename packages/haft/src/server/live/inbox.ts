import type { Answer, ApprovalRequest, Receipt } from "@haft/core/approval";
import { answerRecord } from "../../app/approval/answer.ts";
import { findApprovals } from "../../app/approval/find.ts";
import { digestOf, hasAnswer, isWaiting } from "../../app/approval/record.ts";
import { Problem } from "../api/problem.ts";
import type { Rooms } from "./rooms.ts";

/** An unanswered question of any session: of this server, or of another process in this folder. */
export interface InboxItem {
  readonly session: string;
  readonly request: ApprovalRequest;
  /** A digest of everything that is shown. An answer may carry it, and then counts for exactly that. */
  readonly digest: string;
  /** Another process asked. */
  readonly isElsewhere: boolean;
  /** Questions with the same key ask for the same effects, so one answer may cover them. */
  readonly effectsKey: string;
}

/** An answer from a person, with what they saw. */
export interface GivenAnswer {
  readonly id: string;
  readonly digest?: string | undefined;
  readonly answer: unknown;
}

/** The questions of all sessions in one list. */
export interface Inbox {
  list(): readonly InboxItem[];
  /** Answers one question. The first valid answer counts; the receipt says whether this one did. */
  answer(given: GivenAnswer, by: string): Receipt;
  /** Gives one answer to several questions. @throws Problem 409 unless all of them ask for the same effects. */
  answerAll(given: readonly GivenAnswer[], answer: Answer, by: string): readonly Receipt[];
}

/** Opens the inbox over the sessions of a folder. */
export function openInbox(rooms: Rooms): Inbox {
  function list(): readonly InboxItem[] {
    const live = rooms
      .open()
      .flatMap(({ id, agent }) => agent.haft.pending().map((request) => itemOf(id, request, false)));
    const own = new Set(rooms.open().map(({ id }) => id));
    const known = new Set(live.map(({ request }) => request.id));
    const elsewhere = (rooms.state ? findApprovals(rooms.state, rooms.cwd) : []).flatMap(({ folder, record }) => {
      const { session, request, state } = record;
      const isOver = state === "ended" || known.has(request.id) || own.has(session) || hasAnswer(folder, request.id);
      return isOver ? [] : [itemOf(session, request, isWaiting(record))];
    });
    return [...live, ...elsewhere];
  }

  function answer({ id, digest, answer }: GivenAnswer, by: string): Receipt {
    const item = list().find(({ request }) => request.id === id);
    if (item && digest !== undefined && item.digest !== digest)
      throw new Problem(409, "conflict", "The question has changed since it was shown.", "Look at it again.");
    const session = rooms.open().find(({ agent }) => agent.haft.pending().some((request) => request.id === id));
    if (session) return session.agent.haft.answer(id, answer as Answer, by);
    const found = rooms.state && findApprovals(rooms.state, rooms.cwd).find(({ record }) => record.request.id === id);
    if (found) return answerRecord(found.folder, id, answer, by);
    // The session that asked knows best whether it is over.
    for (const { agent } of rooms.open()) {
      const receipt = agent.haft.answer(id, answer as Answer, by);
      if (receipt.accepted || receipt.reason !== "unknown_request") return receipt;
    }
    return { accepted: false, reason: "unknown_request", message: `There is no question "${id}".` };
  }

  return {
    list,
    answer,
    answerAll(given, shared, by) {
      const items = list();
      const keys = given.map(({ id }) => items.find(({ request }) => request.id === id)?.effectsKey);
      if (keys.some((key) => key === undefined))
        throw new Problem(409, "conflict", "Some of these questions are over.", "Load the list again.");
      if (new Set(keys).size > 1)
        throw new Problem(409, "conflict", "These questions ask for different effects.", "Answer them one by one.");
      return given.map((one) => answer({ ...one, answer: shared }, by));
    },
  };
}

const itemOf = (session: string, request: ApprovalRequest, isElsewhere: boolean): InboxItem => ({
  ...{ session, request, isElsewhere },
  digest: digestOf(request),
  effectsKey: JSON.stringify([request.destructive, request.effects]),
});
