// A tool whose schema many clients cannot read: what the Inspector's lint must find.
export const tools = [
  {
    name: "odd",
    description: "A tool with a list whose items have a schema that is no object.",
    input: { type: "object", properties: { value: { type: "array", items: { anyOf: [true] } } } },
    effects: () => [],
    run: () => "odd",
  },
];
