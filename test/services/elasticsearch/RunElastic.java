import java.nio.file.Path;
import java.util.Map;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.node.InternalSettingsPreparer;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.PluginsLoader;

/** The real server in a process of its own: RunElastic HOME NAME=VALUE... Says READY when it listens, ends with its standard input. */
public class RunElastic {
  public static void main(String[] args) throws Exception {
    Path home = Path.of(args[0]);
    Settings.Builder settings = Settings.builder().put("path.home", home).put("network.host", "127.0.0.1");
    for (int i = 1; i < args.length; i++) {
      String[] pair = args[i].split("=", 2);
      if (pair[1].indexOf(',') >= 0) settings.putList(pair[0], pair[1].split(","));
      else settings.put(pair[0], pair[1]);
    }
    LogConfigurator.configureWithoutConfig(Settings.builder().put("logger.level", "WARN").build());
    LogConfigurator.configureESLogging();
    var environment = InternalSettingsPreparer.prepareEnvironment(settings.build(), Map.of(), home.resolve("config"), () -> "test");
    var plugins = PluginsLoader.createPluginsLoader(
        PluginsLoader.loadModulesBundles(environment.modulesDir()),
        PluginsLoader.loadPluginsBundles(environment.pluginsDir()), Map.of(), false);
    Node node = new Node(environment, plugins);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      try {
        node.close();
      } catch (Exception error) {
        error.printStackTrace();
      }
    }));
    node.start();
    System.out.println("READY");
    // Whoever started it holds the other end: when that process ends, however it ends, so does this one.
    while (System.in.read() >= 0) {}
    System.exit(0);
  }
}
