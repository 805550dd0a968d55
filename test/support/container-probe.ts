/** Python: tries what a step must and must not be able to do, and says what came of it. */
export const stepProbe = `
import json, os, socket
def attempt(work):
    try:
        work()
        return "done"
    except OSError as error:
        return os.strerror(error.errno) if error.errno else str(error)
def write(path):
    with open(path, "w") as file:
        file.write("x")
def connect(address):
    socket.create_connection(address, timeout=3).close()
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
print(json.dumps({
    "uid": os.getuid(),
    "noNewPrivileges": status["NoNewPrivs"],
    "capabilities": int(status["CapEff"], 16) | int(status["CapBnd"], 16),
    "journal": attempt(lambda: write("/workbench/run/journal.jsonl")),
    "runFolder": attempt(lambda: write("/workbench/run/lease.json")),
    "removeJournal": attempt(lambda: os.remove("/workbench/run/journal.jsonl")),
    "step": attempt(lambda: write("/workbench/run/steps/offline/by-the-step")),
    "otherStep": attempt(lambda: write("/workbench/run/steps/configure/by-the-step")),
    "results": attempt(lambda: write("/workbench/run/results/by-the-step")),
    "resources": attempt(lambda: write("/workbench/resources/x")),
    "program": attempt(lambda: write("/workbench/app/load-process.cjs")),
    "image": attempt(lambda: write("/usr/local/x")),
    "temporary": attempt(lambda: write("/tmp/x")),
    "interfaces": sorted(name for _, name in socket.if_nameindex()),
    "triton": attempt(lambda: connect(("127.0.0.1", 8000))),
    "dockerSocket": os.path.exists("/var/run/docker.sock"),
}))
`;

/** Python: whether another step's file is in /dev/shm, how large that is, and whether Triton's process is seen. */
export const memoryProbe = `
import json, os
size = os.statvfs("/dev/shm")
def program(pid):
    try:
        return open(f"/proc/{pid}/comm").read().strip()
    except OSError:
        return ""
print(json.dumps({
    "found": os.path.exists("/dev/shm/by-a-step"),
    "mebibytes": size.f_frsize * size.f_blocks // 2**20,
    "triton": "tritonserver" in map(program, filter(str.isdigit, os.listdir("/proc"))),
}))
`;
