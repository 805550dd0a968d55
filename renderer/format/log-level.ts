export const logLevels = ['info', 'warning', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Level that a line names; null for one that names none, such as further lines of a trace. Understands Triton's "E1121
 * 08:17:00.123456 …", Python's logging and warnings, and plain "ERROR:".
 */
export function levelOfLine(line: string): LogLevel | null {
  // glog, which Triton writes: level, month and day, time.
  const glog = /^\s*([IWEF])\d{4} \d\d:\d\d:\d\d/.exec(line)?.[1];
  if (glog !== undefined) return glog === 'I' ? 'info' : glog === 'W' ? 'warning' : 'error';
  const word = /(?:^|[\s[(|])(CRITICAL|FATAL|ERROR|WARNING|WARN|INFO|DEBUG|TRACE)(?=[\s\]):|,]|$)/.exec(
    line.slice(0, 120),
  )?.[1];
  if (word !== undefined) {
    if (word === 'CRITICAL' || word === 'FATAL' || word === 'ERROR') return 'error';
    return word === 'WARNING' || word === 'WARN' ? 'warning' : 'info';
  }
  if (/^Traceback \(most recent call last\)|^error:|^\w*(?:Error|Exception): /i.test(line)) return 'error';
  return /^warning:|\w+Warning: /i.test(line) ? 'warning' : null;
}
