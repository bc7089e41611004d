/**
 * Words that people and tool authors use for nearly the same thing: groups between bars, by topic. English of tools in
 * general and of widespread trades. A word may be in several groups; synonyms are not transitive across groups.
 */
export const SYNONYMS: Readonly<Record<string, string>> = {
  looking: `
    get fetch retrieve read obtain load pull | open read view show | show display view see present print |
    show list get view | list enumerate all available which index | search find query lookup locate discover seek |
    browse navigate visit explore | check verify validate test examine ensure |
    inspect examine investigate analyze diagnose review | explain describe definition meaning documentation |
    detail describe information info metadata property | compare diff difference versus comparison |
    watch monitor track observe follow | count number total amount | summarize summary overview digest abstract |
    extract scrape parse harvest | crawl spider scrape
  `,
  changing: `
    create add new make generate build produce | create add new post insert register | add insert append put include |
    create start open init begin | delete remove drop destroy erase purge discard trash wipe forget |
    clear reset empty clean | update edit modify change alter set adjust revise | patch edit change update modify |
    put update replace | replace overwrite substitute swap | write save store put record |
    remember memorize memory store save | rename move | move transfer relocate migrate |
    copy duplicate clone replicate | merge combine join unite | split divide separate |
    convert transform translate format | import ingest load upload | export download save dump |
    upload attach attachment | install setup deploy add | uninstall remove delete | upgrade bump update |
    undo rollback revert restore | fix repair resolve solve | compress zip gzip archive shrink |
    encrypt secure protect | clean cleanup tidy
  `,
  running: `
    run execute invoke perform call launch | evaluate execute run compute calculate |
    start begin launch open spawn boot | stop end halt finish terminate kill close quit exit |
    cancel abort stop interrupt | kill terminate force | release free stop close | pause suspend hold |
    resume continue proceed | restart reboot reload | refresh reload renew sync reconnect | wait sleep delay until |
    poll status check | enable activate on toggle | disable deactivate off toggle | switch change select toggle set |
    schedule cron recurring timer interval periodic | connect attach session connection | disconnect detach close |
    login authenticate auth signin credential | logout signout |
    configure setup configuration setting preference option config | emulate simulate mock | scale resize replica |
    resize dimension width height size | ping reach alive health | manage administer control |
    interact operate control | reason think plan step | solve reason think | arbitrary any generic custom raw
  `,
  people: `
    send post message deliver submit | notify notification alert remind | email mail inbox message |
    message chat text conversation | comment remark note reply annotation discussion |
    feedback rating rate review score opinion | share publish post | approve accept confirm allow |
    reject deny refuse dismiss decline | assign owner assignee responsible | ask question prompt query |
    user person people member account contact | team group organization company department |
    calendar event appointment meeting | task todo job item | issue ticket pr bug problem | label tag category |
    bot integration app self | echo repeat mirror back | greet hello welcome | customer client user account |
    payment charge invoice billing
  `,
  screen: `
    click press tap push hit | type enter input write fill | fill complete form | key keyboard shortcut hotkey press |
    select choose pick dropdown option | scroll swipe | drag drop | dialog popup modal alert confirm prompt |
    screenshot picture image photo capture | picture image photo icon png jpg jpeg gif svg | video mp4 movie |
    audio mp3 wav | spreadsheet csv xlsx excel | video recording screencast movie record | audio sound voice speech |
    snapshot capture state dump | theme color scheme mode dark light | navigate go goto open visit |
    back previous return | tab page window | browser page tab website | style css stylesheet appearance
  `,
  documents: `
    page site website webpage web | url link uri address href | internet online web | file document |
    folder directory path | tree hierarchy nested recursive structure | note memo page document |
    paper article publication preprint arxiv study literature | similar related like | cite citation reference bibliography |
    documentation docs guide manual reference help | example sample template demo |
    knowledge documentation information | history log past recent | log output trace message |
    block paragraph section element | spreadsheet sheet excel workbook table grid | slide presentation deck |
    preview glance beginning head
  `,
  data: `
    database db | table collection dataset database | row record entry item document |
    schema structure type field shape | query select find | aggregate group sum average | sum total add plus |
    subtract minus difference | entity node object | relation relationship edge link connection |
    fact observation information statement | chart graph plot diagram graphic visualization visualize draw render |
    graph network node edge | map geographic location place geography | region area province district territory |
    route path itinerary trip journey | distribution histogram spread frequency |
    share proportion percentage ratio part pie | distribution quartile median boxplot violin |
    correlation relationship scatter | trend time series line | hierarchy nested tree treemap |
    stage funnel conversion | overlap intersection venn | cause effect fishbone | flow sankey | idea brainstorm mind |
    progress percentage gauge | pin marker point | statistic stats metric usage analytics |
    rank ranking top order sort | filter where match condition | storage size disk space bytes |
    embedding vector similarity semantic | slow performance advice recommendation
  `,
  machines: `
    code source program | script javascript js code | function method procedure |
    flow flowchart process workflow procedure diagram | step node stage | repo repository codebase project |
    package library module dependency | component widget element | version release revision |
    terminal shell console command bash | process command program | permission access allowed right permitted |
    secret password credential token key | environment env variable | error exception failure fault crash |
    lint style format quality | status state progress condition health | request call http network |
    response reply answer body | performance speed fast slow latency | memory heap leak | server service host |
    kubernetes k8s kubectl cluster | kubernetes pod deployment container namespace resource | manifest yaml apply |
    helm chart release | node machine worker | git commit branch repository | port forward tunnel proxy
  `,
  charts: `
    pie donut slice share | radar spider | scatter dot bubble correlation | histogram bin bucket distribution |
    line curve trend | area filled stacked | gauge liquid level percentage | waterfall bridge cumulative |
    treemap tile rectangle | venn circle set overlap | violin density | boxplot whisker outlier quartile |
    fishbone ishikawa root cause | word tag cloud frequent | map province country state region district |
    pin location place office store | pivot crosstab tabular | axis scale | column vertical | bar horizontal
  `,
  web: `
    scrape extract fetch content | crawl site recursive | download fetch save export | google bing web search |
    news current latest headline | research investigate report study | sitemap map link url | monitor watch alert |
    cite citation related | viewport window size | accessibility a11y aria | throttle slow network offline |
    cookie session storage | trace profile recording | film video record | dom element node html | heap memory dump |
    log console | javascript js script evaluate
  `,
  clusters: `
    pod container workload | replica instance scale | drain cordon evict maintenance |
    rollout deploy rollback revision | tunnel forward expose reachable | pid process | repl interactive stdin input |
    stdout output | hang hung stuck frozen unresponsive | cpu memory usage load | variable environment setting |
    service endpoint
  `,
  files: `
    metadata stat info size modified | media image audio binary base64 | structure tree layout | append end add |
    name title rename | line text | matching pattern glob regex
  `,
  queries: `
    older greater than where filter condition criteria | plan explain optimizer | speed fast performance index |
    backup export dump archive
  `,
  knowledge: `
    person entity thing concept individual | link relation connection association | remember store create save |
    know known knowledge
  `,
  pages: `
    paragraph block text | child children subpage nested | parent under below | status property value |
    remark comment discussion thread
  `,
  help: `
    help documentation guide manual howto tutorial | onboarding tutorial prompt |
    parameter argument option property field | syntax usage reference
  `,
  deeds: `
    get grab pull take catch | delete erase scrap eliminate trash cleanup dismantle |
    update adjust amend tweak correct rewrite mark flag modify | create compose draft prepare write make |
    create start establish setup | insert add ingest populate put fill | apply deploy rollout create manifest |
    start run launch trigger fire kick spawn boot | stop pause end cease quit terminate |
    close shut quit exit disconnect dismiss | open visit view launch | select activate focus switch pick choose |
    drag pull move grab slide | hover pointer cursor mouse over | wait pause until appear disappear delay |
    write export save output | reply answer respond input | print output write log display |
    emulate simulate pretend mimic device | shrink compress reduce gzip zip | permit allow grant enable |
    forbid block deny disallow | resolve lookup find match | reach access connect forward |
    extract pull parse harvest structured | parse convert read transform | profile trace measure record |
    generate draw plot make render | shade color fill | relate relation relationship correlation link |
    convert transform turn change | collect gather fetch crawl | trigger run start immediately now |
    check run inspect result | analyze analysis analyse evaluate | permission permit
  `,
  things: `
    history past previous earlier log | warning error message issue | picture photo image screenshot media |
    machine computer host device laptop | program process application app | container pod docker |
    copy replica instance | laptop localhost local | disk storage drive filesystem | mistake error problem bug fault |
    employee person user member | author owner creator | heading title name header | bullet list block item |
    text content body string | paper article publication work | follow related next |
    website site domain webpage url | store shop location | state province region country county district |
    spread distribution range | bucket bin interval range | circle pie ring | dimension criterion aspect radar |
    skill profile radar | volume amount quantity flow | box step node | arrow edge connection flow |
    idea topic concept mind | tree hierarchy branch | spine fishbone cause | full percent percentage level progress |
    figure number value data | table tabular spreadsheet grid | slice share part | component widget ui |
    library package framework module | function api method reference | job task operation run |
    background running process | field column property attribute value | result output answer finding |
    settings config configuration preference | value key setting | tutorial guide onboarding |
    automation workflow node | template example sample starter | step action node | knowledge memory graph |
    button element link control | field input textbox box | list dropdown select option |
    phone iphone mobile android device emulate | resolution viewport size | headers body payload |
    request call fetch http | traffic network request | performance lcp vitals speed | score audit rating lighthouse
  `,
  time: `
    time year month week day hour | former previous prior earlier last | newer newest latest upgrade recent | temporarily pause | end tail last |
    begin beginning head first start | immediately now run | pending waiting state status | ago past history
  `,
  others: `
    scientific academic scholarly research paper | bad useless poor feedback rating | occur contain search find |
    equal where filter match | remember memory known | relative relationship relation | whole entire | mean average |
    diagnose troubleshoot describe logs | cluster context | confirmation confirm dialog | bug defect error issue
  `,
  abbreviations: `
    markdown md | yaml yml | typescript ts | python py | regex regexp | postgres postgresql |
    configuration config conf cfg | directory dir | organization org | message msg | button btn | package pkg |
    parameter param | argument arg | function func fn | image img | temporary temp tmp | administrator admin |
    source src | synchronize sync | maximum max | minimum min | number num | average avg |
    performance perf | development dev | production prod | reference ref | application app | infrastructure infra |
    certificate cert | dependency dep | variable var | authentication authorization auth | information info
  `,
  amounts: `
    multiple several many batch bulk | single one | size big biggest large largest length | small tiny little |
    last latest recent tail end | current active now running live | own self me myself | trending popular top |
    weather forecast temperature
  `,
};

/** Verbs with the same meaning, between which tool authors choose. */
export const DEEDS = `
  get fetch retrieve read obtain load | show display view present print | list enumerate |
  search find query lookup locate discover | create add make new build generate produce | add insert append |
  delete remove drop destroy erase purge discard wipe | update edit modify change alter revise patch set |
  replace overwrite | move relocate transfer | copy duplicate clone | run execute invoke perform |
  start begin launch | stop end halt finish terminate kill cancel abort | check verify validate test |
  send post submit | click press tap push hit | type enter | open visit navigate | write save store
`;

/** Two adjacent words that mean one word of the table. Looked up before stop words are removed. */
export const PHRASES: Readonly<Record<string, string>> = {
  "look up": "search",
  "look for": "search",
  "look in": "search",
  "go to": "navigate",
  "log in": "login",
  "sign in": "login",
  "log out": "logout",
  "sign out": "logout",
  "set up": "setup",
  "turn on": "enable",
  "switch on": "enable",
  "turn off": "disable",
  "switch off": "disable",
  "shut down": "stop",
  "roll back": "rollback",
  "take back": "undo",
  "am i": "self",
  "get rid": "delete",
  "tear down": "cleanup",
  "clean up": "cleanup",
  "throw away": "delete",
  "roll out": "apply",
  "look something": "search",
  "find out": "search",
  "type in": "type",
  "pick out": "select",
  "more copies": "scale",
  "by hand": "manual",
  "how many": "count",
  "at once": "multiple",
  "fill in": "fill",
  "fill out": "fill",
  "write down": "save",
  "keep track": "track",
  "carry out": "execute",
  "pull request": "pr",
  "pull requests": "pr",
  "how often": "statistic",
};

/** Shell commands, in the words of a tool that does the same. */
export const COMMANDS: Readonly<Record<string, string>> = {
  cat: "read file",
  cp: "copy file",
  curl: "fetch url",
  grep: "search text",
  ls: "list directory",
  mkdir: "create directory",
  mv: "move file",
  ps: "list process",
  rm: "delete file",
  wget: "download url",
};
