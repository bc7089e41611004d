import type { SearchableTool } from "../../src/registry/deferral/index.ts";

const tool = (server: string, name: string, description: string, parameters: Record<string, string> = {}) => ({
  server,
  name,
  description,
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(parameters).map(([key, text]) => [key, { type: "string", description: text }]),
    ),
  },
});

/** Tools of servers that do not exist, in the words that such servers use. */
export const toolCatalog: readonly SearchableTool[] = [
  tool("tracker", "create_issue", "Create a new issue in a project.", { title: "Title of the issue", body: "Text" }),
  tool("tracker", "list_issues", "List the issues of a project, newest first.", { state: "open or closed" }),
  tool("tracker", "get_issue", "Get one issue with its comments.", { number: "Number of the issue" }),
  tool("tracker", "update_issue", "Change title, text or labels of an issue.", { number: "Number of the issue" }),
  tool("tracker", "close_issue", "Close an issue.", { number: "Number of the issue" }),
  tool("tracker", "add_comment", "Add a comment to an issue.", { number: "Number", text: "What to say" }),
  tool("tracker", "merge_pull_request", "Merge a pull request into its base branch.", { method: "squash or merge" }),
  tool("letters", "send_message", "Send an e-mail to one or more people.", { to: "Addresses", subject: "Subject" }),
  tool("letters", "search_mail", "Search the mailbox by sender, subject or text.", { query: "What to look for" }),
  tool("letters", "delete_draft", "Delete a draft for good.", { id: "Id of the draft" }),
  tool("letters", "list_folders", "List all folders of the mailbox."),
  tool("diary", "create_event", "Create an event in the calendar.", { start: "Start time", end: "End time" }),
  tool("diary", "find_free_time", "Find times at which all participants are free.", { people: "Participants" }),
  tool("diary", "remove_event", "Remove an event from the calendar.", { id: "Id of the event" }),
  tool("pages", "capture_screen", "Take a screenshot of the page.", { full: "Whole page or only what is visible" }),
  tool("pages", "open_address", "Navigate to a URL.", { url: "The address" }),
  tool("pages", "press_element", "Click an element.", { selector: "CSS selector" }),
  tool("pages", "console_output", "Return everything that the page wrote to the console."),
  tool("warehouse", "run_query", "Run a SQL query and return the rows.", { sql: "The statement" }),
  tool("warehouse", "list_tables", "List the tables of the database."),
  tool("warehouse", "describe_table", "Describe the columns of a table and their types.", { table: "Name" }),
  tool("warehouse", "drop_table", "Drop a table with all its rows.", { table: "Name" }),
  tool("plots", "draw_bar_chart", "Draw a bar chart to compare values of categories.", { data: "The values" }),
  tool("plots", "draw_pie_chart", "Draw a pie chart to show shares of a whole.", { data: "The values" }),
  tool("plots", "draw_histogram", "Draw a histogram of the distribution of a variable.", { data: "The values" }),
  tool("fleet", "list_containers", "List running containers.", { all: "Stopped ones too" }),
  tool("fleet", "container_logs", "Fetch the logs of a container.", { tail: "Number of lines from the end" }),
  tool("fleet", "stop_container", "Stop a running container.", { id: "Id of the container" }),
  tool("weatherman", "forecast", "Weather forecast for a place for the next days.", { place: "City or coordinates" }),
  tool("chatter", "post_to_channel", "Post a message to a channel.", { channel: "Name of the channel" }),
];

/** Words of people, and the tool that they mean. */
export const askedFor: readonly (readonly [query: string, ...names: string[]])[] = [
  ["file a bug", "create_issue"],
  ["which issues are open", "list_issues"],
  ["reply to a ticket", "add_comment"],
  ["relabel issue 12", "update_issue"],
  ["mail Anna about the meeting", "send_message"],
  ["look for a mail from the bank", "search_mail"],
  ["throw the draft away, delete it", "delete_draft"],
  ["make an appointment for Tuesday", "create_event"],
  ["erase the meeting from my calendar", "remove_event"],
  ["when does everybody have time", "find_free_time"],
  ["take a picture of the site", "capture_screen"],
  ["go to https://example.com/start", "open_address"],
  ["tap the login button", "press_element"],
  ["what did the page print", "console_output"],
  ["execute a select statement", "run_query"],
  ["what columns does the table have", "describe_table"],
  ["get rid of the old table", "drop_table"],
  ["proportion of every category", "draw_pie_chart"],
  ["how are ages distributed", "draw_histogram"],
  ["last lines that the container wrote", "container_logs"],
  ["kill the container", "stop_container"],
  ["will it rain in Oslo, weather please", "forecast"],
  ["tell the channel that we are done", "post_to_channel"],
];
