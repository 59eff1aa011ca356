import { useNavigate, useParams } from 'react-router';
import { Page } from '~/ui/Page';
import { Tabs } from '~/ui/Tabs';
import { AccountSettings } from './Account';
import { KeySettings } from './Keys';
import { SecuritySettings } from './Security';
import { TokenSettings } from './Tokens';

export function SettingsPage() {
  const { tab = 'account' } = useParams();
  const navigate = useNavigate();
  return (
    <Page title="Settings">
      <Tabs
        shown={tab}
        onShow={(next) => navigate(`/settings/${next}`, { replace: true })}
        tabs={[
          { id: 'account', title: 'Account', content: <AccountSettings /> },
          { id: 'keys', title: 'SSH keys', content: <KeySettings /> },
          { id: 'tokens', title: 'API tokens', content: <TokenSettings /> },
          { id: 'security', title: 'Security', content: <SecuritySettings /> },
        ]}
      />
    </Page>
  );
}
