import { expect, it } from 'vitest';
import { emptyForm, readForm } from '../../../../../renderer/views/hosts/host-form';

it('has a host once name and address are there, and no reproach before', () => {
  expect(readForm(emptyForm, [])).toEqual({ host: null, problems: {} });
  expect(readForm({ ...emptyForm, name: ' gpu1 ', address: ' ssh://gpu1 ' }, [])).toEqual({
    host: { name: 'gpu1', address: 'ssh://gpu1' },
    problems: {},
  });
});

it('says what is wrong with a field, as a sentence', () => {
  const { host, problems } = readForm({ ...emptyForm, name: 'GPU', address: 'gpu1' }, []);
  expect(host).toBeNull();
  expect(problems.name).toMatch(/^Use lower-case .*\.$/);
  expect(problems.address).toMatch(/^Not an address .*\.$/);
});

it('refuses a name that another host has', () => {
  const { host, problems } = readForm({ ...emptyForm, name: 'gpu1', address: 'ssh://x' }, ['gpu1']);
  expect(host).toBeNull();
  expect(problems).toEqual({ name: 'A host with this name already exists.' });
});

it('has certificates with TLS only', () => {
  const form = { name: 'gpu1', address: 'tcp://gpu1', certificates: '/certificates' };
  expect(readForm(form, []).host).toMatchObject({ certificates: '/certificates' });
  expect(readForm({ ...form, certificates: '' }, []).host).not.toHaveProperty('certificates');
  expect(readForm({ ...form, address: 'ssh://gpu1' }, []).host).not.toHaveProperty('certificates');
});
