import { QueryClientProvider } from '@tanstack/react-query';
import { App, theme as antdTheme, ConfigProvider } from 'antd';
import enUS from 'antd/locale/en_US';
import zhCN from 'antd/locale/zh_CN';
import dayjs from 'dayjs';
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { makeQueryClient } from '../api/query-client';
import { usePreferences } from '../lib/preferences';
import 'dayjs/locale/zh-cn';

export const queryClient = makeQueryClient();
const media = matchMedia('(prefers-color-scheme: dark)');
const reduced = matchMedia('(prefers-reduced-motion: reduce)');

function useMedia(list: MediaQueryList): boolean {
  return useSyncExternalStore(
    (listener) => {
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => list.matches,
  );
}

export function Providers({ children }: { children: ReactNode }) {
  const { language, theme } = usePreferences();
  const systemDark = useMedia(media);
  const motion = !useMedia(reduced);
  const dark = theme === 'dark' || (theme === 'system' && systemDark);
  const line = dark ? '#3a3a3a' : '#d9d9d9';
  useEffect(() => {
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    document.documentElement.lang = language;
    dayjs.locale(language === 'zh-CN' ? 'zh-cn' : 'en');
  }, [dark, language]);
  return (
    <ConfigProvider
      locale={language === 'zh-CN' ? zhCN : enUS}
      button={{ autoInsertSpace: false }}
      tag={{ variant: 'outlined' }}
      theme={{
        // The compact algorithm would make everything smaller than Chinese can be read at.
        algorithm: dark ? antdTheme.darkAlgorithm : antdTheme.defaultAlgorithm,
        components: {
          // A box to tick must not look as if it could not be.
          Checkbox: dark ? { colorBorder: '#a9a9a9' } : {},
          Form: { itemMarginBottom: 14, verticalLabelPadding: '0 0 4px' },
          // Borders tell what is a button, not shadows.
          Button: {
            primaryShadow: 'none',
            defaultShadow: 'none',
            dangerShadow: 'none',
            ...(dark ? { dangerColor: '#1b0507' } : {}),
          },
          Tabs: {
            colorBorderSecondary: line,
            ...(dark ? { itemSelectedColor: '#6aa1f5', itemActiveColor: '#6aa1f5', inkBarColor: '#6aa1f5' } : {}),
          },
          Descriptions: { labelColor: dark ? '#a9a9a9' : '#595959', colorSplit: line, borderRadiusLG: 6 },
          // Its track must differ from the page it may stand on.
          Segmented: dark
            ? { trackBg: '#202020', itemSelectedBg: '#3d3d3d', itemColor: '#c4c4c4' }
            : { trackBg: '#e6e6e6', itemColor: '#424242' },
          Alert: {
            defaultPadding: '6px 12px',
            withDescriptionPadding: '8px 12px',
            withDescriptionIconSize: 18,
            borderRadiusLG: 6,
          },
        },
        token: {
          colorPrimary: dark ? '#4c89cc' : '#0958d9',
          colorLink: dark ? '#6aa1f5' : '#0958d9',
          colorTextDescription: dark ? '#a9a9a9' : '#595959',
          colorTextTertiary: dark ? '#a9a9a9' : '#595959',
          colorTextPlaceholder: dark ? '#8f8f8f' : '#6b6b6b',
          colorTextDisabled: dark ? '#8f8f8f' : '#6b6b6b',
          controlHeight: 28,
          controlHeightSM: 24,
          fontSize: 13,
          fontSizeSM: 12,
          fontSizeLG: 14,
          lineHeight: 20 / 13,
          borderRadius: 4,
          padding: 12,
          paddingLG: 16,
          paddingSM: 8,
          paddingContentHorizontal: 12,
          colorSuccess: dark ? '#b6dead' : '#2b7351',
          colorError: dark ? '#ff7682' : '#a01507',
          colorWarning: dark ? '#f8b63b' : '#94661a',
          colorInfo: dark ? '#6aa1f5' : '#0958d9',
          // What is derived of colours as dark as these is mud.
          ...(dark
            ? {}
            : {
                colorErrorBg: '#fdf1ef',
                colorErrorBorder: '#e2a8a1',
                colorWarningBg: '#fdf6e7',
                colorWarningBorder: '#dcbf87',
                colorInfoBg: '#eef4ff',
                colorInfoBorder: '#a9c4f2',
              }),
          motion,
        },
      }}
    >
      <App>
        <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
      </App>
    </ConfigProvider>
  );
}
