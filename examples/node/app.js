// A service that reads its configuration once, when it starts. With --check it
// only reads it.
const { readFileSync } = require("fs");
const { createServer } = require("http");

const checking = process.argv[2] === "--check";
const config = JSON.parse(readFileSync(process.argv[checking ? 3 : 2]));
if (typeof config.greeting !== "string") throw new Error("cannot read the configuration: it has no greeting");
if (!checking) {
  const server = createServer((request, response) => response.end(`${config.greeting} (${process.env.LOG_LEVEL})\n`));
  process.on("SIGTERM", () => server.close());
  server.listen(8080);
}
