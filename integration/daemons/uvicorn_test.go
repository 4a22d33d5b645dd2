//go:build check

package daemons

// HUP ends uvicorn. It has no configuration but a module of its application.
var uvicorn = daemon{
	name:    "uvicorn",
	key:     "settings.py",
	text:    "answer = b\"GENERATION\"\n",
	spoiled: "answer = no_such_name\n",
	image: map[string]string{"app.py": `
import sys
sys.path.append("/srv/etc")
from settings import answer
async def app(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    await send({"type": "http.response.body", "body": answer})
`},
	app:     "uvicorn --app-dir /srv --lifespan off --host 127.0.0.1 --port 8080 app:app",
	network: "tcp",
	request: httpRequest,
}
