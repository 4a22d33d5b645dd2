// A service that has chokidar watch its configuration: the directory, or with "file" the file itself.
const chokidar = require("chokidar");
const fs = require("fs");
const path = require("path");

const [configuration, address, what] = process.argv.slice(2);
const [host, port] = address.split(":");
let text = fs.readFileSync(configuration);
chokidar.watch(what === "file" ? configuration : path.dirname(configuration)).on("all", (event, changed) => {
  if (changed === configuration && event !== "unlink") text = fs.readFileSync(configuration);
}).on("ready", () => {
  require("http").createServer((request, response) => response.end(text)).listen(port, host);
});
