package config

// Usage is the help.
const Usage = `confit runs one app as PID 1 of its container: it links keys of mounted
ConfigMap and Secret volumes to where the app expects them, and turns every
change of a volume into a checked, atomic reload.

  confit [FLAG…] -- APP [ARGUMENT…]

What it works with
  --links FILE            the links file, or a directory of such; repeatable
                          (/etc/confit/links)
  --volumes DIR           where relative sources live (/confit)
  --fallback DIR          what a first start takes when what is mounted is bad;
                          laid out as --volumes
  --state DIR             generations, live link, status.json (/run/confit)
  --allow-disk            keys of memory-backed volumes may be staged on disk

A change of a volume
  --settle D              quiet time before it is staged (0 for a single
                          ConfigMap or Secret volume, else 100ms)
  --splay D               at most this long it waits at random, so that replicas
                          don't all reload at once (0)
  --rescan D              how often the volumes are looked at even without an
                          event (10s)
  --render CMD            makes files out of the staged keys, in {rendered}
  --validate CMD          checks it; {candidate} stands for its directory
  --gate CMD              is asked whether this replica may go on now; it may
                          take as long as it wants
  --report CMD            is given the outcome of a change
  --hook-timeout D        how long a hook may take, other than gate and verify;
                          then it is killed, and the change rejected (30s)
  --reload ACTION         auto, signal:NAME, restart, exec:CMD or none (auto)
  --verify CMD            shows that the app is well; run until it succeeds, and
                          again at the end of the probation
  --verify-timeout D      how long each may take, then the change is taken back
                          (10s)
  --probation D           an app that exits this soon after a change takes it
                          back, too (5s)
  --retry D               first wait before what was rejected is tried again;
                          doubles up to 5m (10s)

The app
  --stop-signal NAME      asks it to stop (TERM)
  --stop-timeout D        how long it has before a restart (30s)
  --map-signal FROM:TO    send TO when FROM comes in; FROM: drops it; repeatable
  --signal-group          signals go to the app's process group
  --drain-timeout D       after the app's end, what it left behind has this long
                          to end, too (5s)
  --adopt                 when the app ends and leaves a process of the same
                          program behind, as nginx at USR2, that becomes the app
  --map-exit FROM:TO      exit with TO when the app exits with FROM; repeatable

Instead of running the app
  --check                 read everything, print the plan, change nothing
  --bake                  make the target links now, at image build
  --install FILE          copy this program to FILE
  --status                print what confit does and the app has; exit code 0:
                          what is mounted is live or on its way; 3: it was
                          rejected; 1: there is no status
  --version, --help

And
  --log-format FORMAT     text or json, on stderr (text)
  --log-level LEVEL       debug, info, warn or error (info)

The flags may stand in the environment, too, as CONFIT_STOP_SIGNAL=QUIT, and
without dashes in the links file, but for --links and what is to be done
instead of running the app. The command line wins over the environment, that
over the links file.

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
