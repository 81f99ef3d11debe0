import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { onSessionEnd } from './api/client';
import { SESSION_KEY } from './api/session';
import { watchSession } from './api/session-watch';
import { Providers, queryClient } from './app/providers';
import { router } from './app/router';
import { watchDrafts } from './features/jobs/draft';
import './app/theme.css';
import './components/state-tag.css';

onSessionEnd(() => {
  if (router.state.location.pathname.endsWith('/login')) return;
  queryClient.setQueryData(SESSION_KEY, null);
  // What was typed is kept as a draft: nothing to ask before leaving.
  void router.navigate({ to: '/login', search: { next: router.state.location.href }, ignoreBlocker: true });
});

watchDrafts();
watchSession(queryClient);

const element = document.getElementById('root');
if (element)
  createRoot(element).render(
    <StrictMode>
      <Providers>
        <RouterProvider router={router} />
      </Providers>
    </StrictMode>,
  );
