import java.io.File;
import java.net.InetSocketAddress;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.HiveMetaStore;
import org.apache.hadoop.hive.metastore.TSetIpAddressProcessor;
import org.apache.hadoop.hive.metastore.txn.TxnDbUtil;
import org.apache.thrift.server.TThreadPoolServer;
import org.apache.thrift.transport.TServerSocket;

/**
 * A Hive Metastore on one address, with its data in a Derby database. Arguments: the database's folder, host, port.
 *
 * Hive's own main class listens on every address, and leaves out the tables of locks, which Iceberg needs.
 */
public class Metastore {
    public static void main(String[] args) throws Exception {
        File database = new File(args[0]);
        if (!database.exists()) makeDatabase(database);
        HiveConf conf = new HiveConf();
        HiveMetaStore.HMSHandler handler = new HiveMetaStore.HMSHandler("metastore", conf, false);
        TSetIpAddressProcessor processor = new TSetIpAddressProcessor(HiveMetaStore.newRetryingHMSHandler(handler, conf));
        // Last, so that whoever can connect is answered.
        TServerSocket socket = new TServerSocket(new InetSocketAddress(args[1], Integer.parseInt(args[2])));
        TThreadPoolServer.Args options = new TThreadPoolServer.Args(socket);
        options.processor(processor);
        new TThreadPoolServer(options).serve();
    }

    /** A database whose making was cut short could not be mended, so it gets its name when it is complete. */
    private static void makeDatabase(File database) throws Exception {
        File fresh = new File(database.getPath() + ".new");
        FileUtil.fullyDelete(fresh);
        HiveConf conf = new HiveConf();
        conf.setVar(HiveConf.ConfVars.METASTORECONNECTURLKEY, "jdbc:derby:" + fresh + ";create=true");
        TxnDbUtil.prepDb(conf);
        try {
            DriverManager.getConnection("jdbc:derby:" + fresh + ";shutdown=true");
        } catch (SQLException closed) {
            // This is how Derby says that it is closed.
            if (!"08006".equals(closed.getSQLState())) throw closed;
        }
        if (!fresh.renameTo(database)) throw new IllegalStateException("cannot rename " + fresh + " to " + database);
    }
}
