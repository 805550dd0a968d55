/** A deflated entry; `bytes` is what the archive states of its size, whatever it unpacks to. */
export interface Deflated {
  readonly deflated: Buffer;
  readonly bytes: number;
}

/** A ZIP archive: texts are stored. */
export function zipBytes(files: Readonly<Record<string, string | Deflated>>): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, given] of Object.entries(files)) {
    const title = Buffer.from(name);
    const content = typeof given === 'string' ? Buffer.from(given, 'latin1') : given.deflated;
    const [method, bytes] = typeof given === 'string' ? [0, content.length] : [8, given.bytes];
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(method, 8);
    local.writeUInt32LE(content.length, 18);
    local.writeUInt32LE(bytes, 22);
    local.writeUInt16LE(title.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(content.length, 20);
    entry.writeUInt32LE(bytes, 24);
    entry.writeUInt16LE(title.length, 28);
    entry.writeUInt32LE(offset, 42);
    locals.push(local, title, content);
    directory.push(entry, title);
    offset += local.length + title.length + content.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, central, end]);
}
