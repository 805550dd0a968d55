import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { logoUri, readLogo } from '../../../main/reports/report-settings';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'logo-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

async function placed(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, content);
  return path;
}

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const svgOf = (inside: string, attributes = '') =>
  `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9" ${attributes}>${inside}</svg>`;

describe('a logo', () => {
  it('is a PNG, a JPEG or a drawing, told by its content and not by its name', async () => {
    expect(await readLogo(await placed('a.txt', png))).toMatchObject({ name: 'a.txt', kind: 'png' });
    expect(await readLogo(await placed('b', Buffer.from([0xff, 0xd8, 0xff, 0xe0])))).toMatchObject({
      kind: 'jpg',
    });
    const drawing = svgOf(
      '<!-- by hand --><metadata><r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></metadata><defs><linearGradient id="g"/></defs><style>path { fill: url(#g) }</style>' +
        `<path d="M0,0" style="fill:url('#g')"/><use xlink:href="#g"/><image href="data:image/png;base64,AA=="/>`,
    );
    const logo = await readLogo(await placed('c.svg', drawing));
    expect(logo.kind).toBe('svg');
    expect(logoUri(logo)).toBe(`data:image/svg+xml;base64,${Buffer.from(drawing).toString('base64')}`);
  });

  it.each([
    ['a script', svgOf('<script>alert(1)</script>'), /<script>/],
    ['a script under a prefix', svgOf('<s:script xmlns:s="http://www.w3.org/2000/svg"/>'), /script/],
    ['an event handler', svgOf('<path onload="alert(1)"/>'), /"onload"/],
    ['an event handler of its root', svgOf('', 'onload="alert(1)"'), /"onload"/],
    [
      'an element of HTML',
      svgOf('<h:img xmlns:h="http://www.w3.org/1999/xhtml" srcset="//a.b 1x"/>'),
      /h:img/,
    ],
    ['a redirection', svgOf('<meta xmlns="http://www.w3.org/1999/xhtml" http-equiv="refresh"/>'), /<meta>/],
    ['an element that nobody knows', svgOf('<g><drawing/></g>'), /<drawing>/],
    ['an animation', svgOf('<path><animate attributeName="d"/></path>'), /<animate>/],
    ['a set of images', svgOf('<path style="mask: -webkit-image-set(\'//a.b\' 1x)"/>'), /"style"/],
    ['an image of a style', svgOf('<style>* { mask: image("//a.b") }</style>'), /style/],
    ['a source of a style', svgOf('<path fill="src(\'//a.b\')"/>'), /"fill"/],
    ['HTML', svgOf('<foreignObject><b/></foreignObject>'), /foreignObject/],
    ['an address', svgOf('<image href="https://example.com/a.png"/>'), /example\.com/],
    ['an address under a prefix', svgOf('<use xlink:href="http://example.com/#a"/>'), /example\.com/],
    ['a script as an address', svgOf('<use href="&#106;avascript:alert(1)"/>'), /reference/],
    ['a drawing in a drawing', svgOf('<image href="data:image/svg+xml;base64,AA=="/>'), /reference/],
    ['an animation of an address', svgOf('<a><set attributeName="href" to="javascript:1"/></a>'), /<a>/],
    ['a style that loads', svgOf('<style>@import "https://example.com/a.css";</style>'), /style/],
    ['a style in CDATA', svgOf('<style><![CDATA[* { fill: url(//example.com/a) }]]></style>'), /style/],
    ['a style with escapes', svgOf('<path style="fill: ur\\6c(//example.com)"/>'), /"style"/],
    ['an entity', `<!DOCTYPE svg [<!ENTITY a "b">]>${svgOf('&a;')}`, /document type/],
    [
      'a style sheet',
      `<?xml-stylesheet href="a.css"?><svg xmlns="http://www.w3.org/2000/svg"></svg>`,
      /a\.css/,
    ],
    ['an SVG inside HTML', '<html><svg></svg></html>', /no <svg> element/],
    ['a text', 'logo', /not a PNG, JPEG or SVG/],
    ['too much', Buffer.concat([png, Buffer.alloc(300_000)]), /at most 262144/],
  ])('is refused with %s', async (_name, content, problem) => {
    const path = await placed('logo.svg', content);
    await expect(readLogo(path)).rejects.toMatchObject({
      code: 'input-invalid',
      message: expect.stringMatching(problem) as string,
      where: path,
    });
  });

  it('is refused by name where it does not exist', async () => {
    await expect(readLogo(join(dir, 'none.png'))).rejects.toThrow('it does not exist');
  });
});
