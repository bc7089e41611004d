import type { Machine } from "@haft/core/executor";
import type { Decision } from "@haft/core/policy";

type Approvals = NonNullable<Machine["approvals"]>;

/**
 * Approves in the user's place calls that only the mode asks about. Calls that ask because of a rule, a protected path, a
 * critical removal or the tool itself still go to a person.
 */
export const confirming = (people: Approvals | undefined): Approvals => ({
  async ask(request, decision, signal, asked) {
    if (!request.personOnly && !request.form && isOfMode(decision))
      return { status: "answered", requestId: "", answer: { behavior: "allow" }, by: "toolAgent.autoConfirmDangerous" };
    return people ? people.ask(request, decision, signal, asked) : { status: "unattended", requestId: "" };
  },
});

/** Whether only the mode asks: no rule, no protected path and no tool. */
export const isOfMode = ({ trace }: Decision): boolean => {
  const asks = trace.filter(({ outcome }) => outcome === "ask");
  return asks.length > 0 && asks.every(({ step }) => step === "mode" || step === "default");
};
