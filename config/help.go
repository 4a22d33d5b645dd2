package config

// Usage is the help.
const Usage = `confit runs one app as PID 1 of its container: it links keys of mounted
ConfigMap and Secret volumes to where the app expects them, and turns every
change of a volume into a checked, atomic reload.

  confit [FLAG…] -- APP [ARGUMENT…]

Where things are
  --links FILE            the links file, or a directory of such; repeatable
                          (/etc/confit/links)
  --volumes DIR           where relative sources are (/confit)
  --fallback DIR          what a first start takes when what is mounted is bad;
                          laid out like --volumes
  --state DIR             generations, live link, status.json (/run/confit)
  --allow-disk            lets keys of memory-backed volumes be staged on disk

When a volume changes
  --settle D              stages after this much quiet (0 for a single ConfigMap
                          or Secret volume, 20ms for several, else 100ms)
  --splay D               delays each reload by a random time up to D, so that
                          replicas don't all reload at once (0)
  --rescan D              looks at the volumes this often without an event, too
                          (10s)
  --render CMD            makes files out of the staged keys, in {rendered}
  --validate CMD          checks the change; {candidate} means its directory
  --gate CMD              says whether this replica may go on now; it may take
                          as long as it likes
  --report CMD            is given the outcome of a change
  --hook-timeout D        kills a hook other than gate and verify after D and
                          rejects the change (30s)
  --reload ACTION         auto, signal:NAME, restart, exec:CMD, none, or touch:
                          new links, for an app that watches its files (auto)
  --verify CMD            shows that the app is well; runs until it succeeds,
                          and again at the end of the probation
  --verify-timeout D      takes the change back if one of the two lasts longer
                          (10s)
  --probation D           takes the change back if the app exits within D (5s)
  --retry D               first wait before a rejected change is tried again;
                          doubles up to 5m (10s)

The app
  --stop-signal NAME      asks the app to stop (TERM)
  --stop-timeout D        how long the app has before a restart kills it (30s)
  --map-signal FROM:TO    turns signal FROM into TO; FROM: drops it; repeatable
  --signal-group          sends signals to the app's process group
  --drain-timeout D       how long what the app leaves behind has to end (5s)
  --adopt                 when the app ends and leaves a process of the same
                          program behind, as nginx at USR2, that becomes the app
  --map-exit FROM:TO      turns exit code FROM into TO; repeatable

Instead of running the app
  --check                 reads everything, prints the plan, changes nothing;
                          exit code 64 or 78: a start would fail
  --bake                  makes the target links now, at image build
  --install FILE          copies this program to FILE
  --status[=FORMAT]       prints what confit does and what the app has, as text
                          to a terminal, else as json; exit code 0: what is
                          mounted is live or on its way; 3: it was rejected;
                          1: there is no status
  --version, --help

The log, on stderr
  --log-format FORMAT     text or json (text)
  --log-level LEVEL       debug, info, warn or error (info)

Flags may also stand in the environment, as CONFIT_STOP_SIGNAL=QUIT, and without
dashes in the links file, but for --links and what is done instead of running
the app. The command line wins over the environment, and the environment over
the links file.

A links file
  link  web/nginx.conf   /etc/nginx/nginx.conf
  link  web/*.conf       /etc/nginx/conf.d/      optional
  link  tls/             /etc/nginx/tls/         reload=signal:HUP
  input web/motd.txt                             optional
  env   app/LOG_LEVEL    LOG_LEVEL
  validate     nginx -t
  stop-signal  QUIT

Exit codes: the app's own; 128+n when signal n ended it; 127 app not found;
126 not executable; 64 wrong usage or links file; 71 the system refused
something before the app was started; 78 the first configuration was rejected.
`
