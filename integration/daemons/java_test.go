//go:build check

package daemons

// At HUP a JVM runs its shutdown hooks and exits with 129; at TERM with 143.
var java = daemon{
	name:    "java",
	key:     "app.properties",
	text:    "name = GENERATION\n",
	spoiled: "name = \\u no such character\n",
	image: map[string]string{"App.java": `
import java.io.FileReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Properties;

class App {
	public static void main(String[] arguments) throws Exception {
		var properties = new Properties();
		properties.load(new FileReader(arguments[0]));
		var listener = new ServerSocket(8080, 50, InetAddress.getByName("127.0.0.1"));
		while (true) {
			try (var client = listener.accept()) {
				client.getInputStream().read(new byte[1024]);
				client.getOutputStream().write(properties.getProperty("name").getBytes());
			}
		}
	}
}
`},
	app:     "java -XX:TieredStopAtLevel=1 /srv/App.java /srv/etc/app.properties",
	lines:   "map-exit 143:0\n",
	network: "tcp",
	request: httpRequest,
}
