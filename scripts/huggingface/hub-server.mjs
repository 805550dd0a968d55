import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

const digest = (algorithm, ...parts) => {
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

/** As Git LFS and Git store a file: large ones by their content. */
function storedOf(path, content) {
  const isLarge = /\.(safetensors|bin)$/.test(path);
  const blob = digest('sha1', `blob ${content.length}\0`, content);
  const sha256 = digest('sha256', content);
  return { path, content, blob, etag: isLarge ? sha256 : blob, sha256: isLarge ? sha256 : null };
}

function infoOf({ id, commit, license, files }) {
  return {
    ...{ _id: commit.slice(0, 24), id, modelId: id, sha: commit, private: false, gated: false, tags: [] },
    ...{ downloads: 0, likes: 0, cardData: { license } },
    siblings: files.map(({ path, content, blob, sha256 }) => ({
      rfilename: path,
      size: content.length,
      blobId: blob,
      ...(sha256 === null ? {} : { lfs: { sha256, size: content.length, pointerSize: 134 } }),
    })),
  };
}

function refuse(response, status, code) {
  response.writeHead(status, { 'x-error-code': code, 'x-error-message': code });
  response.end();
}

/** The whole file, or the part that a range asks for; a fault ends or slows it once. */
function sendContent(request, response, file, faults) {
  const [, from] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
  const start = from === undefined ? 0 : Number(from);
  const total = file.content.length;
  const content = faults.corrupt === file.path ? Buffer.alloc(total) : file.content;
  response.writeHead(from === undefined ? 200 : 206, {
    'accept-ranges': 'bytes',
    'content-length': total - start,
    etag: `"${file.etag}"`,
    ...(from === undefined ? {} : { 'content-range': `bytes ${start}-${total - 1}/${total}` }),
  });
  const half = start + Math.floor((total - start) / 2);
  if (faults.dropOnce === file.path) {
    faults.dropOnce = null;
    response.write(content.subarray(start, half), () => setTimeout(() => request.socket.destroy(), 50));
  } else if (faults.stall === file.path) {
    // Until the client leaves.
    response.write(content.subarray(start, half));
  } else response.end(content.subarray(start));
}

/**
 * A local stand-in for the Hugging Face hub, for one model: it speaks the calls that huggingface_hub makes to find and
 * download files, with the hub's headers, and nothing more of the hub.
 * @param model `{ id, commit, license, token, files: [[path, Buffer]] }`; `token` null: anybody may read it
 * @returns `log` of the requests, and `faults` that may be set: `dropOnce`, `stall` and `corrupt` name a file
 */
export async function startHubServer({ id, commit, license, token, files: given }) {
  const files = given.map(([path, content]) => storedOf(path, content));
  const log = [];
  const faults = { dropOnce: null, stall: null, corrupt: null };
  const isKnown = (revision) => revision === 'main' || revision === commit;
  const answer = (request, response) => {
    const { pathname } = new URL(request.url, 'http://local');
    const path = decodeURIComponent(pathname);
    const { authorization = null, range = null } = request.headers;
    log.push({ method: request.method, path, authorization, range });
    const content = /^\/content\/([0-9a-f]+)$/.exec(path);
    if (content !== null) {
      const file = files.find(({ etag }) => etag === content[1]);
      sendContent(request, response, file, faults);
      return;
    }
    const [, name, revision = 'main'] =
      /^\/api\/models\/([^/]+\/[^/]+)(?:\/revision\/(.+))?$/.exec(path) ?? [];
    const [, inside, of, wanted] = /^\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(path) ?? [];
    if ((name ?? inside) !== id) refuse(response, 401, 'RepoNotFound');
    else if (token !== null && authorization !== `Bearer ${token}`) refuse(response, 403, 'GatedRepo');
    else if (!isKnown(inside === undefined ? revision : of)) refuse(response, 404, 'RevisionNotFound');
    else if (name !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(infoOf({ id, commit, license, files })));
    } else {
      const file = files.find((one) => one.path === wanted);
      if (file === undefined) refuse(response, 404, 'EntryNotFound');
      else answerFile(request, response, file);
    }
  };
  const answerFile = (request, response, file) => {
    response.setHeader('x-repo-commit', commit);
    response.setHeader('x-linked-size', file.content.length);
    if (file.sha256 !== null) {
      // Large files are on another host: the library follows a redirect within one by itself.
      response.setHeader('x-linked-etag', `"${file.etag}"`);
      response.writeHead(302, { location: `${elsewhere}/content/${file.etag}`, 'content-length': 0 });
      response.end();
    } else if (request.method === 'HEAD') {
      response.writeHead(200, { etag: `"${file.etag}"`, 'content-length': file.content.length });
      response.end();
    } else sendContent(request, response, file, faults);
  };
  const server = createServer(answer);
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  const [address, elsewhere] = ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${port}`);
  const close = () =>
    new Promise((done) => {
      server.close(done);
      server.closeAllConnections();
    });
  return { address, log, faults, files, close };
}
