import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedact } from '../../../main/home/redact';

const identity = {
  user: 'hedwig',
  host: 'gpu-box-7',
  userHome: '/home/hedwig',
  home: '/data/hedwig/workbench',
  env: { HF_TOKEN: 'value-of-the-token', PATH: '/usr/bin', DB_PASSWORD: 'short-one' },
};
const redact = createRedact(identity);

describe('a redacted text', () => {
  it.each([
    ['Cannot write /data/hedwig/workbench/runs/a', 'Cannot write <home>/runs/a'],
    ['/home/hedwig/models on gpu-box-7', '~/models on <host>'],
    ['Hedwig and hedwigs', '<user> and hedwigs'],
    ['http://me:pass@proxy:3128/x?sig=abc', 'http://<credentials>@proxy:3128/x?<query>'],
    ['https://host.example/x?mail=a@b.example&sig=abc', 'https://<address>'],
    ['from https://me:p@ss/wo:rd@proxy:3128/x "a@b"', 'from https://<credentials>@proxy:3128/x "a@b"'],
    ['Authorization: Bearer abc.def', 'Authorization: <secret>'],
    ['perf -m a -H "X-Key: 12" -b 1', 'perf -m a -H <header> -b 1'],
    ['-H "x-api-key": "aAAaAa00aAa0" ', '-H <header> '],
    ['mail to a.b@example.org', 'mail to <e-mail>'],
    ['api_key=12345, rest', 'api_key=<secret>, rest'],
    ['value-of-the-token', '<secret>'],
  ])('%s', (text, clean) => {
    expect(redact(text)).toBe(clean);
  });

  it('keeps what is needed: versions, codes, names of fields', () => {
    const text = 'docker-unreachable: Triton 2.51, engine.release 26.07, tokenizer.json';
    expect(redact(text)).toBe(text);
  });

  const word = fc.stringMatching(/^[A-Za-z0-9]{12,24}$/);
  const around = fc.string({ maxLength: 30 });
  it('has no secret of the text that it was made of', () => {
    const carriers: readonly ((secret: string) => string)[] = [
      (secret) => `Authorization: Bearer ${secret}`,
      (secret) => `"x-api-key": "${secret}"`,
      (secret) => `https://user:${secret}@host.example/path`,
      (secret) => `https://host.example/path?signature=${secret}`,
      (secret) => `NGC_API_KEY=${secret}`,
      (secret) => `password: '${secret}'`,
      (secret) => `-H "Cookie: ${secret}"`,
      (secret) => `-H My-Own: two ${secret} -b 1`,
      (secret) => `--header=My-Own:${secret}`,
      (secret) => `hf_${secret}`,
      (secret) => `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`,
    ];
    fc.assert(
      fc.property(word, around, around, fc.constantFrom(...carriers), (secret, before, after, carry) => {
        expect(redact(`${before} ${carry(secret)} ${after}`)).not.toContain(secret);
      }),
      { numRuns: 500 },
    );
  });

  it('has no part of a password in an address, whatever is in it', () => {
    const password = fc.stringMatching(/^[A-Za-z0-9@/:%]{1,24}$/);
    fc.assert(
      fc.property(password, (secret) => {
        expect(redact(`at https://me:${secret}@index.example/simple now`)).toBe(
          'at https://<credentials>@index.example/simple now',
        );
      }),
    );
  });

  it('has no secret of an index or a proxy, outside of its address either', () => {
    const env = { HTTPS_PROXY: 'http://me:pro%40xy7@proxy:3128' };
    const own = createRedact({ ...identity, env, secrets: ['tokenofthepath1'] });
    expect(own('refused pro@xy7, pro%40xy7 and tokenofthepath1')).toBe(
      'refused <secret>, <secret> and <secret>',
    );
  });

  it('has no value of a variable with the name of a secret, and no place of this person', () => {
    fc.assert(
      fc.property(word, word, around, (secret, user, text) => {
        const own = createRedact({
          ...identity,
          user,
          userHome: `/home/${user}`,
          home: `/home/${user}/workbench`,
          env: { SOME_TOKEN: secret },
        });
        const clean = own(`${text}${secret}${text} /home/${user}/x ${user} /home/${user}/workbench/runs`);
        expect(clean.toLowerCase()).not.toContain(secret.toLowerCase());
        expect(clean.toLowerCase()).not.toContain(user.toLowerCase());
      }),
    );
  });
});
