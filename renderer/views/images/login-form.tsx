import { Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { SmallButton } from '../../components/actions';
import { onText, onTick } from '../../handlers';
import { onSubmit } from '../../use-form-work';
import { useWork } from '../../use-work';
import { useWorkbench } from '../../workbench';

/** The key leaves this form once; the window neither shows nor stores it. */
export function LoginForm() {
  const { client } = useWorkbench();
  const [registry, setRegistry] = useState('nvcr.io');
  const [username, setUsername] = useState('$oauthtoken');
  const [password, setPassword] = useState('');
  const [keep, setKeep] = useState(true);
  const [sending, working] = useWork();
  const [outcome, setOutcome] = useState<string | null>(null);
  const login = async (): Promise<void> => {
    setOutcome(null);
    const { kept } = await client.call('docker.login', { registry, username, password, keep });
    setPassword('');
    setOutcome(
      kept
        ? `The login for ${registry} is kept in the desktop’s key ring.`
        : keep
          ? `The login for ${registry} is kept in memory until the workbench closes, because this desktop has no key ring.`
          : `The login for ${registry} is kept in memory until the workbench closes.`,
    );
  };
  return (
    <details className="login">
      <summary>Registry login</summary>
      <form className="login-form" onSubmit={onSubmit(working(login))}>
        <TextInput size="xs" label="Registry" value={registry} onChange={onText(setRegistry)} />
        <TextInput
          size="xs"
          label="User"
          description="For NGC: $oauthtoken"
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          autoComplete="off"
          value={username}
          onChange={onText(setUsername)}
        />
        <PasswordInput
          size="xs"
          label="Key"
          autoComplete="off"
          value={password}
          onChange={onText(setPassword)}
        />
        <SmallButton type="submit" loading={sending} disabled={registry.trim() === '' || password === ''}>
          Use this login
        </SmallButton>
        <Checkbox
          size="xs"
          className="login-keep"
          label="Keep it in the desktop’s key ring; without a key ring it is kept in memory only"
          checked={keep}
          onChange={onTick(setKeep)}
        />
      </form>
      <p role="status" className="login-outcome tone-good">
        {outcome}
      </p>
    </details>
  );
}
