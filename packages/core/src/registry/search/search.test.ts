import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { askedFor, toolCatalog } from "../../../test/support/tool-catalog.ts";
import { createToolIndex, type SearchableTool } from "./index.ts";
import { EXACT_SCORE } from "./ranking.ts";

const index = createToolIndex(toolCatalog);
const names = (query: string, limit?: number, searched = index) =>
  searched.search(query, limit === undefined ? {} : { limit }).hits.map(({ tool }) => tool.name);
const plain = (name: string, description = "", more: Partial<SearchableTool> = {}): SearchableTool => ({
  name,
  description,
  ...more,
});

describe("search for tools", () => {
  it("A14 a tool is found by its hint though neither name nor description says the word", () => {
    const cells = plain("NotebookEdit", "Replaces a cell.", { hint: "edit jupyter notebook cells" });
    const found = names("jupyter", 5, createToolIndex([plain("Edit", "Replaces text in a file."), cells]));
    expect(found).toEqual(["NotebookEdit"]);
    expect(names("jupyter", 5, createToolIndex([{ ...cells, hint: "" }]))).toEqual([]);
  });

  it("N13 select: gives exactly the named tools, in the order of the names, however many", () => {
    const many = toolCatalog.slice(0, 8).map(({ name }) => name);
    expect(names(`select:${many.toReversed().join(",")}`)).toEqual(many.toReversed());
    const { hits, missing } = index.search("select: Create_Issue, nobody,mcp__fleet__stop_container ,create_issue");
    expect(hits.map(({ tool }) => tool.name)).toEqual(["create_issue", "stop_container"]);
    expect(missing).toEqual(["nobody"]);
  });

  it("N13 a word with a plus must occur, in any form and any field", () => {
    expect(names("+containers stop")).toEqual(["stop_container", "list_containers", "container_logs"]);
    expect(names("+weatherman")).toEqual(["forecast"]);
    expect(names("message +channel")).toEqual(["post_to_channel"]);
    expect(names("+channel +mailbox message")).toEqual([]);
  });

  it("N13 a pasted name comes first: alone, in a sentence, with its server, as MCP writes it", () => {
    const alone = index.search("tracker/close_issue").hits;
    expect(alone).toEqual([{ tool: expect.objectContaining({ name: "close_issue" }), score: EXACT_SCORE }]);
    for (const query of ["load mcp__tracker__close_issue please", "`close_issue`", "use (close_issue) on the issue"])
      expect(names(query)[0]).toBe("close_issue");
    expect(names("what is the forecast calendar event")[0]).not.toBe("forecast");
  });

  it("N13 at most five tools unless more are wanted", () => {
    expect(names("list issue container table event")).toHaveLength(5);
    expect(names("list issue container table event", 9)).toHaveLength(9);
    expect(names("list issue", 0)).toEqual([]);
  });

  it("N13 a tool that is not accepted does not exist for the search", () => {
    const accept = ({ name }: SearchableTool) => name !== "create_issue";
    const found = (query: string) => index.search(query, { accept }).hits.map(({ tool }) => tool.name);
    expect(found("create issue")).not.toContain("create_issue");
    expect(index.search("select:create_issue", { accept })).toEqual({ hits: [], missing: ["create_issue"] });
  });

  it("N13 finds what people mean, in words that the tools do not use", () => {
    const ranks = askedFor.map(([query, ...wanted]) => names(query).findIndex((name) => wanted.includes(name)));
    const share = (most: number) => ranks.filter((rank) => rank >= 0 && rank < most).length / ranks.length;
    expect([share(5), share(1)].map((value, at) => value >= [0.95, 0.8][at]!)).toEqual([true, true]);
  });

  it("N13 tells a tool that makes from one that deletes the same thing", () => {
    expect(names("remove an event")[0]).toBe("remove_event");
    expect(names("new event")[0]).toBe("create_event");
    expect(names("list tables")[0]).toBe("list_tables");
  });

  it("N13 splits identifiers, forgives a slip, joins and parts compounds", () => {
    const odd = createToolIndex([
      plain("getHTTPStatus"),
      plain("dropdown_open"),
      plain("rename-fileV2"),
      plain("other"),
    ]);
    expect(names("http status", 1, odd)).toEqual(["getHTTPStatus"]);
    expect(names("drop down", 1, odd)).toEqual(["dropdown_open"]);
    expect(names("renmae", 1, odd)).toEqual(["rename-fileV2"]);
    expect(names("filestatus", 2, odd).toSorted()).toEqual(["getHTTPStatus", "rename-fileV2"]);
  });

  it("N13 a number counts where tools are called by it, and is a value of the call elsewhere", () => {
    const lamps = createToolIndex([...Array(12).keys()].map((at) => plain(`lamp_${at}`, `Lights lamp ${at}.`)));
    expect(names("light lamp 7", 1, lamps)).toEqual(["lamp_7"]);
    const shelves = createToolIndex([
      plain("list_shelves", "Lists 3 shelves."),
      plain("list_books", "Lists books of a shelf."),
    ]);
    expect(names("list 42 books", 1, shelves)).toEqual(["list_books"]);
  });

  it("N13 one verb stands for another of the same deed, and the thing decides", () => {
    const shelf = createToolIndex([
      plain("delete-many", "Removes all books that match from a shelf."),
      plain("drop-shelf", "Removes a shelf."),
      plain("rename-shelf", "Renames a shelf."),
      plain("shelf-logs", "Reads what a shelf logs."),
      plain("create-shelf", "Creates a shelf."),
      ...toolCatalog,
    ]);
    expect(names("delete the old shelf completely", 1, shelf)).toEqual(["drop-shelf"]);
    expect(names("make a shelf called logs", 1, shelf)).toEqual(["create-shelf"]);
  });

  it("N13 a question of how far work is asks for its status", () => {
    const work = createToolIndex([plain("harvest", "Starts a harvest."), plain("harvest_status", "How a harvest is.")]);
    expect(names("is the harvest done yet", 1, work)).toEqual(["harvest_status"]);
    expect(names("begin a harvest", 1, work)).toEqual(["harvest"]);
  });

  it("N13 forms of a word that no rule finds, and words that are alike but not the same", () => {
    const odd = createToolIndex([
      plain("latest_news", "What happens in the world."),
      plain("new_thing", "Makes a new thing."),
      plain("stop_container", "Ends a container."),
      plain("what_contains", "Tells what a box contains."),
      plain("add_watch", "Watches a page."),
      plain("check_accessibility", "Rates a site."),
    ]);
    expect(names("news", 1, odd)).toEqual(["latest_news"]);
    expect(names("containers", 1, odd)).toEqual(["stop_container"]);
    expect(names("watcher", 1, odd)).toEqual(["add_watch"]);
    expect(names("how accessible", 1, odd)).toEqual(["check_accessibility"]);
  });

  it("N13 a server is named by a word of its own, not by one that others use as well", () => {
    const own = (server: string, name: string, description: string) => plain(name, description, { server });
    const two = createToolIndex([
      own("vue", "find_guide", "Finds a guide."),
      own("shop", "find_guide_book", "Finds a book."),
      own("memory", "open_facts", "Opens facts."),
      own("browser", "heap", "Looks for a leak of memory."),
      own("browser", "memory_report", "Reports on memory of the page."),
    ]);
    expect(names("guide to routing in Vue.js", 1, two)).toEqual(["find_guide"]);
    expect(names("memory leak", 1, two)).toEqual(["heap"]);
  });

  it("N13 a query without a word for deletion does not find a deleting tool first", () => {
    const jobs = createToolIndex([plain("delete_job", "Deletes a job."), plain("job_owner", "Tells of a job.")]);
    expect(names("job", 1, jobs)).toEqual(["job_owner"]);
    for (const query of ["delete a job", "get rid of that job", "please scrap the job"])
      expect([query, names(query, 1, jobs)]).toEqual([query, ["delete_job"]]);
  });

  it("N13 one or several, as the query says", () => {
    const notes = createToolIndex([plain("list_notes", "Notes."), plain("open_note", "A note.")]);
    expect(names("details of one note", 1, notes)).toEqual(["open_note"]);
    const calls = createToolIndex([plain("network_calls"), plain("network_call")]);
    expect([names("network call number 3", 1, calls), names("network calls", 1, calls)]).toEqual([
      ["network_call"],
      ["network_calls"],
    ]);
    expect(names("network call", 1, createToolIndex(calls.tools.toReversed()))).toEqual(["network_call"]);
  });

  it("N13 a query of two words means two things", () => {
    const two = createToolIndex([
      plain("list_databases", "Lists the databases of a server."),
      plain("list_collections", "Lists the collections of a database."),
    ]);
    expect(names("tables in database", 1, two)).toEqual(["list_collections"]);
    expect(names("database", 1, two)).toEqual(["list_databases"]);
  });

  it("N13 a verb that names a thing is no order", () => {
    const pages = createToolIndex([plain("update_page", "Page."), plain("watch_page", "Says what changes on a page.")]);
    expect(names("the changes of a page", 1, pages)).toEqual(["watch_page"]);
    expect(names("change a page", 1, pages)).toEqual(["update_page"]);
  });

  it("N13 the method of a request yields to the verb behind it", () => {
    const two = createToolIndex([plain("API-post-search", "By title."), plain("API-get-search", "By title.")]);
    expect(names("search", 1, two)).toEqual(["API-post-search"]);
  });

  it("N13 reads commands, sizes, products, acronyms in the plural and names with a capital inside", () => {
    const odd = createToolIndex([
      plain("create_directory", "Makes a folder."),
      plain("resize", "Sets the size of a window."),
      plain("axis", "Draws an x axis."),
      plain("nextjs_guide", "Answers questions."),
      plain("files", "Finds PDFs."),
      plain("papers", "Finds papers on arXiv."),
      plain("stats", "Tells of usage."),
      plain("next_page", "Turns a page."),
    ]);
    const first = (query: string) => names(query, 1, odd)[0];
    expect(["mkdir", "375x812", "next.js routing", "pdf", "arxiv", "how often"].map(first)).toEqual([
      "create_directory",
      "resize",
      "nextjs_guide",
      "files",
      "papers",
      "stats",
    ]);
    const shell = createToolIndex([plain("Search", "Searches text."), plain("Grep", "Looks into files.")]);
    expect(names("grep for todo", 1, shell)).toEqual(["Grep"]);
  });

  it("N13 reads what people shorten", () => {
    const long = createToolIndex([
      plain("export_markdown", "Writes a page as Markdown."),
      plain("export_image", "Writes a page as an image."),
      plain("list_databases", "Names the databases."),
      plain("set_variable", "Changes a variable."),
    ]);
    expect(
      ["page as md", "page as img", "list dbs", "change env vars"].map((query) => names(query, 1, long)[0]),
    ).toEqual(["export_markdown", "export_image", "list_databases", "set_variable"]);
  });

  it("N13 a word with a number in its middle is one word", () => {
    const odd = createToolIndex([
      plain("n8n_node", "Finds a node of n8n."),
      plain("list_pods", "Lists what runs on Kubernetes."),
      plain("audit", "Rates a page – its accessibility."),
      plain("translate", "Prepares a page – for i18n."),
    ]);
    const first = (query: string) => names(query, 1, odd)[0];
    expect(["k8s", "n8n", "a11y", "I18N"].map(first)).toEqual(["list_pods", "n8n_node", "audit", "translate"]);
  });

  it("N13 scripts that write no spaces are searched as well", () => {
    const tools = [plain("a", "发送电子邮件给联系人"), plain("b", "删除日历中的事件"), plain("c", "Отправить письмо")];
    const foreign = createToolIndex(tools);
    expect([names("电子邮件", 1, foreign), names("删除事件", 1, foreign), names("письмо", 1, foreign)]).toEqual([
      ["a"],
      ["b"],
      ["c"],
    ]);
  });

  it("N13 tools that are hardly described, and strange queries, are no trouble", () => {
    const odd = createToolIndex([plain("__proto__"), plain("constructor", "x".repeat(100_000)), plain("")]);
    for (const query of ["", "   ", "+", "select:", "select:,", "+!!!", "a".repeat(50_000), "toString __proto__ the"])
      expect(odd.search(query).hits.length).toBeLessThanOrEqual(3);
    expect(names("__proto__", 5, odd)).toEqual(["__proto__"]);
    expect(createToolIndex([]).search("anything")).toEqual({ hits: [], missing: [] });
  });
});

describe("laws of the search", () => {
  const vocabulary = [
    ...new Set(toolCatalog.flatMap(({ name }) => name.split("_"))),
    "remove",
    "picture",
    "zzz",
    "the",
  ];
  const words = fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 6 });

  it("N13 the same tools and query give the same answer, regardless of earlier queries", () => {
    fc.assert(
      fc.property(words, words, (query, other) => {
        const first = index.search(query.join(" "));
        index.search(other.join(" "));
        expect(index.search(query.join(" "))).toEqual(first);
        expect(createToolIndex(toolCatalog).search(query.join(" "))).toEqual(first);
      }),
      { numRuns: 20 },
    );
  });

  it("N13 fewer results are the beginning of more, and scores never rise", () => {
    fc.assert(
      fc.property(words, fc.nat(12), (query, limit) => {
        const all = index.search(query.join(" "), { limit: 40 }).hits;
        expect(index.search(query.join(" "), { limit }).hits).toEqual(all.slice(0, limit));
        expect(all.every(({ score }, at) => at === 0 || score <= all[at - 1]!.score)).toBe(true);
      }),
    );
  });

  it("N13 a selection gives the named tools and no others", () => {
    const subset = fc.subarray(toolCatalog.map(({ name }) => name));
    fc.assert(
      fc.property(subset, (chosen) => {
        expect(names(`select:${chosen.join(" ,")}`)).toEqual(chosen);
      }),
    );
  });

  it("N13 a mandatory word only takes tools away, and every tool that is left has it", () => {
    fc.assert(
      fc.property(words, fc.constantFrom("issue", "container", "table", "event"), (query, word) => {
        const free = new Set(names(`${word} ${query.join(" ")}`, 40));
        for (const { tool } of index.search(`+${word} ${query.join(" ")}`, { limit: 40 }).hits) {
          expect(free).toContain(tool.name);
          expect(`${tool.server} ${JSON.stringify(tool)}`.toLowerCase()).toContain(word);
        }
      }),
    );
  });
});
