import { ask, defineTool, type Form, type FormField, fail, text } from "@haft/core/tool";
import { onlyTheMainAgent } from "../support/people/main-agent.ts";

const option = {
  type: "object",
  description: "One proposed answer.",
  properties: {
    label: { type: "string", minLength: 1, maxLength: 100, description: "The answer in one to five words." },
    description: { type: "string", description: "The meaning of this choice." },
  },
  required: ["label"],
  additionalProperties: false,
} as const;

const input = {
  type: "object",
  properties: {
    questions: {
      type: "array",
      minItems: 1,
      maxItems: 4,
      description: "The questions, asked together.",
      items: {
        type: "object",
        description: "One question.",
        properties: {
          question: {
            type: "string",
            minLength: 1,
            description: 'The whole question: "Which database should we use?"',
          },
          header: { type: "string", description: 'A label of one or two words: "Database".' },
          options: {
            type: "array",
            minItems: 2,
            maxItems: 4,
            items: option,
            description: "Do not add Other: the user can always answer in their own words.",
          },
          multiSelect: { type: "boolean", description: "Several answers may be chosen. Default false." },
        },
        required: ["question", "options"],
        additionalProperties: false,
      },
    },
  },
  required: ["questions"],
  additionalProperties: false,
} as const;

interface Question {
  readonly question: string;
  readonly header?: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  readonly multiSelect?: boolean;
}

/** The answers. */
interface AskUserQuestionOutput {
  /** Keyed by the text of the question; several answers are joined with commas. */
  readonly answers: Readonly<Record<string, string>>;
}

/** AskUserQuestion: asks the person questions with proposed answers. */
export const askUserQuestion = defineTool({
  name: "AskUserQuestion",
  aliases: ["ask_user", "question", "request_user_input"],
  rules: { groups: ["ui"] },
  title: "Ask the user",
  searchHint: "ask user question choice clarify preference decide options",
  description: [
    "Asks the user up to four questions with proposed answers and waits.",
    "Use it if the answer changes what you do and you cannot look it up. Put the recommended answer first.",
  ].join("\n"),
  input,
  can: ["ask"],
  when: onlyTheMainAgent,
  onInterrupt: "cancel",
  effects: () => [ask("The model has a question.")],
  validate({ questions }) {
    const texts = questions.map(({ question }) => question);
    const twice = texts.find((question, index) => texts.indexOf(question) !== index);
    if (twice !== undefined)
      return { message: `The question "${twice}" is duplicated.`, hint: "Ask each question once." };
    const mixed = questions.find(({ options }) => new Set(options.map(({ label }) => label)).size < options.length);
    return (
      mixed && { message: `"${mixed.question}" has two options with the same label.`, hint: "Give each its own label." }
    );
  },
  describe: ({ questions = [] }) => ({
    title: questions[0]?.header || questions[0]?.question || "A question",
    activity: "Waiting for an answer",
  }),
  async run({ questions }, ctx): Promise<AskUserQuestionOutput> {
    const { input: said } = await ctx.ask({
      title: titleOf(questions),
      show: { kind: "group", title: titleOf(questions), items: questions.map(shown) },
      why: "The agent waits for your answer.",
      form: formOf(questions),
    });
    return { answers: answersOf(questions, said) };
  },
  toModel: ({ answers }) => [
    text(
      Object.entries(answers)
        .map(([question, answer]) => `${question}\n${answer}`)
        .join("\n\n"),
    ),
  ],
  toDisplay: ({ answers }) => ({ kind: "table", columns: ["question", "answer"], rows: Object.entries(answers) }),
});

const titleOf = ({ length }: readonly Question[]): string =>
  length === 1 ? "A question to you" : `${length} questions to you`;

const shown = ({ question, options }: Question) => ({
  kind: "group" as const,
  title: question,
  items: [
    {
      kind: "table" as const,
      columns: ["answer", "meaning"],
      rows: options.map(({ label, description = "" }) => [label, description]),
    },
  ],
});

function formOf(questions: readonly Question[]): Form {
  const properties = questions.map(({ question, options, multiSelect }): [string, FormField] => {
    const choices = options.map(({ label, ...meaning }) => ({ const: label, title: label, ...meaning }));
    return [
      question,
      multiSelect
        ? { type: "array", title: question, items: { anyOf: choices }, minItems: 1, other: true }
        : { type: "string", title: question, oneOf: choices, other: true },
    ];
  });
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: questions.map(({ question }) => question),
  };
}

/** A completed form, or the questions with `answers` next to them, as hosts of `canUseTool` return them. */
function answersOf(questions: readonly Question[], said: unknown): Readonly<Record<string, string>> {
  const given = (said ?? {}) as Readonly<Record<string, unknown>>;
  const answers = isRecord(given.answers) && !("answers" in formOf(questions).properties) ? given.answers : given;
  return Object.fromEntries(
    questions.map(({ question }) => {
      const answer = answers[question];
      const words = Array.isArray(answer) ? answer.join(", ") : answer;
      if (typeof words !== "string" || words.trim() === "")
        return fail(
          "execution_failed",
          `The answers do not include one to "${question}".`,
          "Ask again, or go on with your recommendation and say so.",
        );
      return [question, words];
    }),
  );
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
